package artifact

import (
	"container/list"
	"sync"
)

// cache keeps decoded values, the most recently used first, up to a number of encoded bytes.
type cache struct {
	mu    sync.Mutex
	limit int64
	used  int64
	order *list.List // of cached; front is the most recent
	byKey map[Hash]*list.Element
}

type cached struct {
	hash  Hash
	value Value
	meta  Meta
}

func newCache(limit int64) *cache {
	return &cache{limit: limit, order: list.New(), byKey: map[Hash]*list.Element{}}
}

func (c *cache) get(h Hash) (Value, Meta, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[h]
	if !ok {
		return nil, Meta{}, false
	}
	c.order.MoveToFront(e)
	hit := e.Value.(cached)
	return hit.value, hit.meta, true
}

func (c *cache) put(h Hash, v Value, m Meta) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.byKey[h]; ok || m.Bytes > c.limit {
		return
	}
	c.byKey[h] = c.order.PushFront(cached{h, v, m})
	c.used += m.Bytes
	for c.used > c.limit {
		last := c.order.Back()
		old := c.order.Remove(last).(cached)
		delete(c.byKey, old.hash)
		c.used -= old.meta.Bytes
	}
}

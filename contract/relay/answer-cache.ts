// Cached answers: what they save, and their removal.
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';

const seconds = z.coerce.number().int().min(0).max(253_402_300_799);
const span = z.object({ start_timestamp: seconds, end_timestamp: seconds });

/** What is named must fit; nothing named is everything. */
const ownFilter = z.strictObject({
  /** Of one answer, as the header `X-Tollgate-Cache-Key` names it. */
  key: z.string().trim().min(1).max(64).optional(),
  token_id: z.number().int().positive().optional(),
  /** As callers name it. */
  model: z.string().trim().min(1).max(256).optional(),
});
const anyFilter = ownFilter.extend({ user_id: z.number().int().positive().optional() });

const figures = z.object({
  hits: z.number(),
  /** Calls that would have been answered so, had there been an answer. */
  misses: z.number(),
  /** Quota units that the same answers would have cost more, had they come anew. */
  saved: z.number(),
});

const removed = z.object({
  /** On the node that was asked; the others follow within a second. */
  removed: z.number(),
});

export const answerCache = {
  all: endpoint({
    method: 'GET',
    path: '/api/answer-cache/',
    access: 'admin',
    summary: { zh: '回答缓存的命中与占用', en: 'Cached answers: hits and memory' },
    query: span,
    returns: figures.extend({
      /** Of the node that was asked. */
      entries: z.number(),
      bytes: z.number(),
      evicted: z.number(),
    }),
  }),
  self: endpoint({
    method: 'GET',
    path: '/api/answer-cache/self',
    access: 'user',
    organization: 'usage.all',
    summary: { zh: '我的回答缓存节省了多少', en: 'What cached answers saved you' },
    query: span,
    returns: figures,
  }),
  purge: endpoint({
    method: 'POST',
    path: '/api/answer-cache/purge',
    access: 'admin',
    summary: { zh: '清除缓存的回答', en: 'Remove cached answers' },
    body: anyFilter,
    returns: removed,
  }),
  purgeSelf: endpoint({
    method: 'POST',
    path: '/api/answer-cache/self/purge',
    access: 'user',
    organization: 'tokens.all',
    summary: { zh: '清除我的缓存的回答', en: 'Remove your cached answers' },
    body: ownFilter,
    returns: removed,
  }),
};

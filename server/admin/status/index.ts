// Incidents, and the facts of the status page.
import type { StatusFacts } from '#contract/admin/status-page.ts';
import { statusFacts, type StatusParts } from './facts.ts';

export { createIncidentHandlers } from './handlers.ts';
export { watchIncidents } from './watch.ts';

const KEPT_MILLISECONDS = 15_000;

/** Kept for some seconds: everybody may ask. A channel that goes off shows at once. */
export function createStatusFacts(parts: StatusParts): () => Promise<StatusFacts> {
  let kept: { facts: Promise<StatusFacts>; until: number } | undefined;
  parts.store.changes.subscribe('channels', () => {
    kept = undefined;
  });
  return () => {
    const now = performance.now();
    if (kept !== undefined && kept.until > now) return kept.facts;
    const facts = statusFacts(parts);
    const entry = { facts, until: now + KEPT_MILLISECONDS };
    kept = entry;
    facts.catch(() => {
      if (kept === entry) kept = undefined;
    });
    return facts;
  };
}

/** Events of a virtual model for its page: of changed targets the models in order, not their JSON. */
import type { PageEvents } from '#contract/admin/page-parts.ts';

const MODEL = /"model":"((?:[^"\\]|\\.)*)"/g;

/** The server may have cut the JSON. */
const modelsIn = (text: string | null): string | null =>
  text === null ? null : [...text.matchAll(MODEL)].map(([, name]) => name).join(' → ');

/** `rules`: the words for targets of the same models with other rules. */
export function withTargetWords(events: PageEvents, rules: string): PageEvents {
  return {
    ...events,
    items: events.items.map((event) => ({
      ...event,
      changes: event.changes.map((change) => {
        if (change.field !== 'targets') return change;
        const [before, after] = [modelsIn(change.before), modelsIn(change.after)];
        return { ...change, ...(before === after ? { before: null, after: rules } : { before, after }) };
      }),
    })),
  };
}

/**
 * Sends the body of a form with what it was based on. When another person changed the same fields the user chooses, and the
 * body is sent again, based on the values of now. A cancelled choice leaves the form open with the server's sentence.
 */
import { sameValue, type Conflict } from '#contract/based-on.ts';
import { askConflict } from '#web/ui/feedback/dialog-store.ts';
import { differencesOf, resolvedBody, type BasedBody } from './differences.ts';

interface Save<Body extends BasedBody, Saved> {
  body: Body;
  send: (body: Body) => Promise<Saved>;
  labelOf: (field: string) => string;
  /** The words for their value, where it is not one text: that of each of many objects. */
  wordsOf?: (theirs: unknown) => string;
}

export async function saveOnBase<Body extends BasedBody, Saved>({
  body,
  send,
  labelOf,
  wordsOf,
}: Save<Body, Saved>): Promise<Saved> {
  for (let current = body; ;) {
    try {
      return await send(current);
    } catch (error) {
      const conflict = conflictIn(error);
      if (conflict === undefined) throw error;
      const differences = differencesOf(conflict, current, labelOf).map((each) =>
        wordsOf === undefined ? each : { ...each, theirsText: wordsOf(each.theirs) },
      );
      const choices = await askConflict(differences);
      if (choices === undefined) throw error;
      current = resolvedBody(current, differences, choices);
    }
  }
}

function conflictIn(error: unknown): Conflict | undefined {
  return error instanceof Error && 'conflict' in error ? (error.conflict as Conflict | undefined) : undefined;
}

interface Loaded {
  /** The object as the API returned it, by the names of the body. */
  view: object;
  /** The body of the loaded values. */
  initial: object;
  /** The body of the values that the changes began with: those of a restored draft are older than the loaded ones. */
  base: object;
}

/** What the fields of a body are based on. */
export function baseOf({ view, initial, base }: Loaded): Record<string, unknown> {
  const read = view as Readonly<Record<string, unknown>>;
  const loaded = initial as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(base).map(([field, value]: [string, unknown]) => [
      field,
      sameValue(value, loaded[field]) && Object.hasOwn(read, field) ? read[field] : value,
    ]),
  );
}

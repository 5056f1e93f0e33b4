// Lines of files as their owner may read them: with the caller's name of the model, and without the names of upstreams in
// error messages.
import { isObject } from '#server/models/formats/json.ts';
import { neutralText } from '#server/relay/errors/relay-error.ts';
import { withShownModel } from '#server/relay/answer/shown-model.ts';
import { memberText, patchMembers } from '#server/relay/request/json-members.ts';

/** A request of the input. */
export function shownInput(line: string, model: string): string {
  const body = memberText(line, 'body');
  if (body === undefined) return line;
  return patchMembers(
    line,
    new Map([['body', patchMembers(body, new Map([['model', JSON.stringify(model)]]))]]),
  );
}

/** An answer of the output: the answer's own model is the first one in the line. */
export function shownOutput(line: string, model: string | undefined): string {
  const named = model === undefined ? line : withShownModel(line, model);
  // Most lines have no error and stay as they are.
  if (!/"error"\s*:\s*\{/.test(named)) return named;
  try {
    return JSON.stringify(withNeutralErrors(JSON.parse(named)));
  } catch {
    return named;
  }
}

const NO_WORDS = 'The upstream could not answer the request';
/** `response.body.error`, `error`, and Anthropic's `result.error.error`. */
const DEEPEST = 4;

function withNeutralErrors(value: unknown, depth = 0): unknown {
  if (!isObject(value) || depth > DEEPEST) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name !== 'error' || !isObject(inner)) return [name, withNeutralErrors(inner, depth + 1)];
      const message = 'message' in inner ? { message: neutralText(inner['message']) ?? NO_WORDS } : {};
      return [name, { ...(withNeutralErrors(inner, depth + 1) as object), ...message }];
    }),
  );
}

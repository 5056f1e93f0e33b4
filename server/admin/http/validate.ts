// Checks input against its schema. A refusal names every wrong field (`fields`), the first of them also as `field`.
import { z } from 'zod';
import type { AnyEndpoint, FieldProblem } from '#contract/endpoint.ts';
import { controlCharacterIn } from '#contract/control-characters.ts';
import { AppError } from '#contract/errors.ts';
import type { Language } from '#contract/language.ts';
import { problemSentence, problemWords } from '#contract/problem-words.ts';

interface RawInput {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
}

/** The name of an input that failed as a whole. */
const WHOLE = { zh: '请求', en: 'the request' } as const;

export function validateInput(endpoint: AnyEndpoint, raw: RawInput, language: Language) {
  refuseControlCharacters(raw, language);
  const problems: FieldProblem[] = [];
  const details: string[] = [];
  const read = (schema: z.ZodType, value: unknown) => {
    // Without a declared query or body, what was sent is ignored.
    if (schema instanceof z.ZodUndefined) return undefined;
    const parsed = schema.safeParse(value, { reportInput: true });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      const field = issue.path.map(String).join('.');
      // A number that is too large breaks two rules of its schema, with the same words.
      const detail = `${field || WHOLE[language]} ${problemWords(issue, language)}`;
      if (details.includes(detail)) continue;
      problems.push({ field, message: problemSentence(issue, language) });
      details.push(detail);
    }
    return undefined;
  };
  const input = {
    params: read(endpoint.params, raw.params),
    query: read(endpoint.query, raw.query),
    body: read(endpoint.body, raw.body),
  };
  if (problems.length === 0) return input;
  const detail = details.join(language === 'zh' ? '；' : '; ');
  const [first] = problems;
  const extra = { field: first?.field ?? '', fields: problems };
  throw new AppError('invalid_parameter', { detail: detail.slice(0, 500) }, extra);
}

/** Before the schema, which may pass a string on: the databases differ in what they do with NUL. */
function refuseControlCharacters({ params, query, body }: RawInput, language: Language): void {
  for (const part of [params, query, body]) {
    const field = controlCharacterIn(part);
    if (field !== undefined)
      throw new AppError('control_characters', { field: field || WHOLE[language] }, { field });
  }
}

/** Passes a handler's result through its declared schema: undeclared fields are not sent. */
export function shapeOutput(endpoint: AnyEndpoint, output: unknown): Record<string, unknown> {
  if (endpoint.extra instanceof z.ZodUndefined) return { data: endpoint.returns.parse(output ?? null) };
  const { data, ...extra } = output as { data: unknown };
  return { data: endpoint.returns.parse(data ?? null), ...(endpoint.extra.parse(extra) as object) };
}

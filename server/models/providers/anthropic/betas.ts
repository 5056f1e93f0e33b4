// Anthropic's betas at other suppliers of Claude: they are part of the body, and one unknown value refuses the whole request.
// Only known ones are sent; the rest is noted.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { Json } from '#server/models/providers/shared/json.ts';

export interface KnownBetas {
  readonly accepted: ReadonlySet<string>;
  /** Names that differ at this supplier. */
  readonly renamed: Readonly<Record<string, string>>;
}

const RENAMED = { 'advanced-tool-use-2025-11-20': 'tool-search-tool-2025-10-19' };

export const BEDROCK_BETAS: KnownBetas = {
  accepted: new Set([
    'compact-2026-01-12',
    'computer-use-2024-10-22',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'context-management-2025-06-27',
    'dev-full-thinking-2025-05-14',
    'effort-2025-11-24',
    'fine-grained-tool-streaming-2025-05-14',
    'interleaved-thinking-2025-05-14',
    'output-128k-2025-02-19',
    'token-efficient-tools-2025-02-19',
    'tool-examples-2025-10-29',
    'tool-search-tool-2025-10-19',
  ]),
  renamed: RENAMED,
};

export const VERTEX_BETAS: KnownBetas = {
  accepted: new Set([
    'compact-2026-01-12',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'context-management-2025-06-27',
    'interleaved-thinking-2025-05-14',
    'tool-search-tool-2025-10-19',
    'web-search-2025-03-05',
  ]),
  renamed: RENAMED,
};

/** Betas that only identify the client. */
const identifiesClient = (beta: string): boolean => /^(?:claude-code|oauth)-/.test(beta);

const NONE: readonly string[] = [];

export function readBetas(header: string | null): readonly string[] {
  if (header === null) return NONE;
  const values = header.slice(0, 1000).split(',');
  return [...new Set(values.map((value) => value.trim()).filter((value) => value !== ''))];
}

/** The caller's betas under the supplier's names. */
export function knownBetas(
  betas: readonly string[],
  { accepted, renamed: names }: KnownBetas,
  notes: ConversionNote[],
): string[] {
  const known = new Set<string>();
  for (const beta of betas) {
    const name = Object.hasOwn(names, beta) ? (names[beta] ?? beta) : beta;
    const field = `anthropic-beta.${beta}`;
    if (!accepted.has(name)) {
      if (!identifiesClient(beta))
        notes.push({ field, what: 'dropped', detail: 'this upstream has no such beta' });
      continue;
    }
    if (name !== beta) notes.push({ field, what: 'renamed', detail: `here it is ${name}` });
    known.add(name);
  }
  return [...known];
}

/** Adds the betas of the caller's header; those already in the body were set explicitly and stay. */
export function withBetas(
  body: Json,
  betas: readonly string[] | undefined,
  known: KnownBetas,
  notes: ConversionNote[],
): Json {
  if (betas === undefined || betas.length === 0) return body;
  const given = body['anthropic_beta'];
  const explicit = Array.isArray(given) ? (given as unknown[]) : [];
  const all = [...new Set([...explicit, ...knownBetas(betas, known, notes)])];
  return all.length === 0 ? body : { ...body, anthropic_beta: all };
}

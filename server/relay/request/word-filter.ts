// Finds any of many words in a prompt in one pass (Aho-Corasick), without regard to case. The unit is the UTF-16 code unit:
// a word is found as `includes` finds it, also before a combining mark. ADR 33 has the comparison with a package.

export interface WordFilter {
  /** Words found, each once, at most `limit`. */
  find(text: string, limit: number): string[];
}

/** One hash table of node and character for all edges: memory grows with the words, not with the alphabet. */
class Edges {
  #keys: Float64Array;
  #targets: Int32Array;
  #mask: number;
  #size = 0;

  constructor(expected: number) {
    let capacity = 16;
    while (capacity < expected * 2) capacity *= 2;
    this.#keys = new Float64Array(capacity).fill(-1);
    this.#targets = new Int32Array(capacity);
    this.#mask = capacity - 1;
  }

  get size(): number {
    return this.#size;
  }

  #slot(key: number): number {
    // Spreads neighbouring characters of one node over the table.
    let at = (Math.imul(key | 0, 0x9e3779b1) ^ Math.imul((key / 65_536) | 0, 0x85ebca6b)) & this.#mask;
    while (this.#keys[at] !== -1 && this.#keys[at] !== key) at = (at + 1) & this.#mask;
    return at;
  }

  get(node: number, code: number): number {
    const at = this.#slot(node * 65_536 + code);
    return this.#keys[at] === -1 ? -1 : (this.#targets[at] as number);
  }

  set(node: number, code: number, target: number): void {
    const key = node * 65_536 + code;
    const at = this.#slot(key);
    this.#keys[at] = key;
    this.#targets[at] = target;
    this.#size += 1;
  }
}

export function createWordFilter(words: readonly string[]): WordFilter | undefined {
  const list = [...new Set(words.map((word) => word.trim().toLowerCase()))].filter((word) => word !== '');
  if (list.length === 0) return undefined;
  const characters = list.reduce((sum, word) => sum + word.length, 0);
  const edges = new Edges(characters + 1);
  const children: [code: number, node: number][][] = [[]];
  const wordAt: number[] = [-1];
  for (const [index, word] of list.entries()) {
    let node = 0;
    for (let at = 0; at < word.length; at += 1) {
      const code = word.charCodeAt(at);
      let next = edges.get(node, code);
      if (next < 0) {
        next = wordAt.length;
        wordAt.push(-1);
        children.push([]);
        edges.set(node, code, next);
        children[node]?.push([code, next]);
      }
      node = next;
    }
    wordAt[node] = index;
  }
  const { fallbacks, outputs } = link(edges, children, wordAt);
  return {
    find: (text, limit) =>
      search(text.toLowerCase(), limit, { edges, fallbacks, outputs, wordAt, words: list }),
  };
}

/** `fallbacks`: the node to continue at after a mismatch. `outputs`: the nearest shorter word that ends at the same place. */
function link(edges: Edges, children: readonly [number, number][][], wordAt: readonly number[]) {
  const fallbacks = new Int32Array(wordAt.length);
  const outputs = new Int32Array(wordAt.length).fill(-1);
  const queue: number[] = (children[0] ?? []).map(([, node]) => node);
  for (let head = 0; head < queue.length; head += 1) {
    const node = queue[head] as number;
    for (const [code, child] of children[node] ?? []) {
      let fallback = fallbacks[node] as number;
      let target = edges.get(fallback, code);
      while (target < 0 && fallback !== 0) {
        fallback = fallbacks[fallback] as number;
        target = edges.get(fallback, code);
      }
      const linked = target < 0 ? 0 : target;
      fallbacks[child] = linked;
      outputs[child] = (wordAt[linked] as number) >= 0 ? linked : (outputs[linked] as number);
      queue.push(child);
    }
  }
  return { fallbacks, outputs };
}

interface Automaton {
  readonly edges: Edges;
  readonly fallbacks: Int32Array;
  readonly outputs: Int32Array;
  readonly wordAt: readonly number[];
  readonly words: readonly string[];
}

function search(text: string, limit: number, automaton: Automaton): string[] {
  const { edges, fallbacks, outputs, wordAt, words } = automaton;
  const found = new Set<string>();
  let node = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    let next = edges.get(node, code);
    while (next < 0 && node !== 0) {
      node = fallbacks[node] as number;
      next = edges.get(node, code);
    }
    node = next < 0 ? 0 : next;
    if (node === 0) continue;
    let hit = (wordAt[node] as number) >= 0 ? node : (outputs[node] as number);
    while (hit > 0) {
      found.add(words[wordAt[hit] as number] ?? '');
      if (found.size >= limit) return [...found];
      hit = outputs[hit] as number;
    }
  }
  return [...found];
}

const PROMPT_NAMES = [
  'messages',
  'prompt',
  'input',
  'instructions',
  'suffix',
  'query',
  'documents',
  'system',
  'contents',
  'systemInstruction',
  'system_instruction',
];

/** Every text of a request: strings at any depth, without encoded pictures and sound. */
export function* promptTexts(fields: Readonly<Record<string, unknown>>): Generator<string> {
  for (const name of PROMPT_NAMES) {
    yield* textsIn(fields[name], 0);
  }
}

function* textsIn(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') {
    if (!value.startsWith('data:')) yield value;
    return;
  }
  if (typeof value !== 'object' || value === null || depth > 20) return;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) yield* textsIn(item, depth + 1);
    return;
  }
  const isPlainText = 'type' in value && value.type === 'text';
  for (const [name, item] of Object.entries(value)) {
    if (
      name !== 'image_url' &&
      name !== 'input_audio' &&
      // Bytes of a picture or a file; a plain-text document has its text under the same name.
      (name !== 'data' || isPlainText) &&
      name !== 'file' &&
      name !== 'role' &&
      name !== 'type'
    ) {
      yield* textsIn(item, depth + 1);
    }
  }
}

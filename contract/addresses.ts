// IP addresses and CIDR blocks as tokens, forms and the relay read them: strict parsing, one line at a time, and a
// matcher that is compiled once and asked per call. A v4-mapped v6 address (`::ffff:203.0.113.7`, in any spelling)
// is the v4 address: it matches v4 blocks and no v6 block.

/** Four 32-bit words; v4 stands in the last one behind the mapped prefix. */
type Words = readonly [number, number, number, number];

export interface Address {
  readonly version: 4 | 6;
  readonly words: Words;
}

export interface AddressBlock extends Address {
  /** Leading bits of the 128 that must agree. */
  readonly bits: number;
}

/** `address`: not an IP address. `prefix`: the part after the slash is not 0 to `max`. */
export type AddressProblem = { kind: 'address' } | { kind: 'prefix'; max: 32 | 128 };

export interface AddressLine {
  /** 1-based, as an editor counts. */
  readonly line: number;
  readonly text: string;
  /** `null` on a good or blank line. */
  readonly problem: AddressProblem | null;
}

const MAPPED_WORD = 0xffff;
const MAPPED_BITS = 96;

function parseV4(text: string): number | null {
  const parts = text.split('.');
  if (parts.length !== 4) return null;
  let value = 0;
  for (const part of parts) {
    // A leading zero reads as octal to some programs and as decimal to others, so it is refused.
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part)) return null;
    const octet = Number(part);
    if (octet > 255) return null;
    value = value * 256 + octet;
  }
  return value;
}

/** Groups of one side of the `::`; `null` when one of them is malformed. */
function parseGroups(text: string, mayEndInV4: boolean): number[] | null {
  if (text === '') return [];
  const parts = text.split(':');
  const groups: number[] = [];
  for (const [index, part] of parts.entries()) {
    if (mayEndInV4 && index === parts.length - 1 && part.includes('.')) {
      const v4 = parseV4(part);
      if (v4 === null) return null;
      groups.push(v4 >>> 16, v4 & 0xffff);
    } else {
      if (!/^[\da-f]{1,4}$/i.test(part)) return null;
      groups.push(Number.parseInt(part, 16));
    }
  }
  return groups;
}

function parseV6(text: string): Words | null {
  const sides = text.split('::');
  if (sides.length > 2) return null;
  const [left = '', right] = sides;
  const head = parseGroups(left, right === undefined);
  const tail = right === undefined ? [] : parseGroups(right, true);
  if (!head || !tail) return null;
  const missing = 8 - head.length - tail.length;
  if (right === undefined ? missing !== 0 : missing < 1) return null;
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...tail];
  const word = (index: number) => ((groups[index] ?? 0) * 0x10000 + (groups[index + 1] ?? 0)) >>> 0;
  return [word(0), word(2), word(4), word(6)];
}

function isMapped(words: Words): boolean {
  return words[0] === 0 && words[1] === 0 && words[2] === MAPPED_WORD;
}

/** One address without a prefix. A zone (`fe80::1%eth0`) is dropped: it names an interface, not a caller. */
export function parseAddress(text: string): Address | null {
  if (text.length > 64) return null;
  if (!text.includes(':')) {
    const v4 = parseV4(text);
    return v4 === null ? null : { version: 4, words: [0, 0, MAPPED_WORD, v4] };
  }
  const zone = text.indexOf('%');
  const words = parseV6(zone === -1 ? text : text.slice(0, zone));
  if (!words) return null;
  return { version: isMapped(words) ? 4 : 6, words };
}

/** An address or a CIDR block. Bits after the prefix may be set; they are ignored. */
export function parseBlock(text: string): AddressBlock | AddressProblem {
  const slash = text.indexOf('/');
  const address = text.includes('%') ? null : parseAddress(slash === -1 ? text : text.slice(0, slash));
  if (!address) return { kind: 'address' };
  if (slash === -1) return { ...address, bits: 128 };
  const writtenAsV6 = text.includes(':');
  const max = writtenAsV6 ? 128 : 32;
  const prefix = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(prefix) || Number(prefix) > max) return { kind: 'prefix', max };
  const bits = writtenAsV6 ? Number(prefix) : MAPPED_BITS + Number(prefix);
  // `::ffff:0:0/90` reaches beyond the mapped range, so it is a v6 block.
  return { words: address.words, bits, version: address.version === 4 && bits >= MAPPED_BITS ? 4 : 6 };
}

/** Every line of a list with what is wrong with it. */
export function checkAddressLines(text: string): AddressLine[] {
  return text.split(/\r?\n/).map((raw, index) => {
    const line = raw.trim();
    const parsed = line === '' ? null : parseBlock(line);
    return { line: index + 1, text: line, problem: parsed && 'kind' in parsed ? parsed : null };
  });
}

/** Trimmed lines without blanks and repetitions: what is stored. */
export function tidyAddressLines(text: string): string {
  return [...new Set(text.split(/\r?\n/).map((line) => line.trim()))].filter(Boolean).join('\n');
}

function within(address: Address, block: AddressBlock): boolean {
  if (address.version !== block.version) return false;
  for (let index = 0; index < 4; index += 1) {
    const bits = block.bits - index * 32;
    if (bits <= 0) return true;
    const mask = bits >= 32 ? 0xffffffff : (0xffffffff << (32 - bits)) >>> 0;
    if ((((address.words[index] ?? 0) ^ (block.words[index] ?? 0)) & mask) !== 0) return false;
  }
  return true;
}

export interface AddressList {
  /** Nothing was written: an allow list then allows everybody, a deny list nobody. */
  readonly empty: boolean;
  matches(address: string): boolean;
}

/**
 * Compiled once, asked per call. A line that does not parse matches nobody, so an allow list of broken lines lets
 * nobody in rather than everybody.
 */
export function compileAddressList(text: string): AddressList {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter(Boolean);
  const blocks = lines.map(parseBlock).filter((block): block is AddressBlock => !('kind' in block));
  return {
    empty: lines.length === 0,
    matches(text) {
      const address = parseAddress(text);
      return address !== null && blocks.some((block) => within(address, block));
    },
  };
}

/** The one spelling of an address: v4 for mapped ones, lower-case v6 with its longest run of zeros folded. */
export function canonicalAddress(text: string): string | null {
  const address = parseAddress(text);
  if (!address) return null;
  if (address.version === 4) {
    const value = address.words[3];
    return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255].join('.');
  }
  const groups = address.words.flatMap((word) => [word >>> 16, word & 0xffff]);
  const run = longestZeroRun(groups);
  const hex = groups.map((group) => group.toString(16));
  if (run.length < 2) return hex.join(':');
  return `${hex.slice(0, run.start).join(':')}::${hex.slice(run.start + run.length).join(':')}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (const [index, group] of groups.entries()) {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start };
  }
  return best;
}

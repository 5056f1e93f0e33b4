/** Whether a conversation kept its channel, and in which words. */
import { KEPT_WORDS, type KeptWord } from '#contract/relay/kept-channel.ts';

export interface KeptDetails {
  why: KeptWord;
  /** That answered the conversation last; 0: none was known. */
  channel: number;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function keptOf(value: unknown): KeptDetails | undefined {
  if (!isObject(value)) return undefined;
  const why = KEPT_WORDS.find((known) => known === value['why']);
  if (why === undefined) return undefined;
  const channel = value['channel'];
  return { why, channel: typeof channel === 'number' && Number.isFinite(channel) ? channel : 0 };
}

/** `answered`: the channel that the row names. A kept channel may fail, and another one answers. */
export const keptWord = ({ why, channel }: KeptDetails, answered: number): KeptWord | 'moved' =>
  why === 'kept' && channel !== answered ? 'moved' : why;

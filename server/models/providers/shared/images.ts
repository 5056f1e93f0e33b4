// Converts image results of other shapes to OpenAI's answer.
import { unixSeconds } from '#contract/time.ts';
import type { Json } from './json.ts';

export interface Picture {
  readonly url?: string;
  readonly b64_json?: string;
}

export function imageAnswer(data: readonly Picture[], more: Json = {}): Json {
  // OpenAI's `created` is the time of the answer in seconds.
  return { created: unixSeconds(), data, ...more };
}

// The formats that one channel's upstream accepts: what its type promises, less what this upstream was seen to refuse or
// the operator excluded. Only formats that can be converted into each other are left out.
import { codecs } from '#server/models/formats/index.ts';
import { isObject } from '#server/models/formats/json.ts';
import type { Format, Provider, ProviderChannel } from './provider.ts';

export const convertibleFormats = Object.keys(codecs) as Format[];

const none: ReadonlySet<Format> = new Set();

export function speaksOf(provider: Provider, channel: ProviderChannel, model: string): readonly Format[] {
  const promised = provider.speaksFor?.(model, channel) ?? provider.speaks;
  const refused = channel.refusedFormats ?? none;
  if (refused.size === 0) return promised;
  const left = promised.filter((format) => !refused.has(format));
  if (left.length === promised.length || left.some((format) => codecs[format] !== undefined)) return left;
  // A model that OpenAI serves by Responses only may be served by Chat at a compatible upstream.
  return provider.speaks.filter((format) => !refused.has(format));
}

/** A comma list, as in the column `refused_formats`. */
export function refusedIn(text: string): ReadonlySet<Format> {
  return text === ''
    ? none
    : new Set(convertibleFormats.filter((format) => text.split(',').includes(format)));
}

/** The operator's choice (`formats` in the channel's setting) replaces what was learned. */
export function refusedFormatsOf(learned: string, setting: unknown): ReadonlySet<Format> {
  const chosen = isObject(setting) ? setting['formats'] : undefined;
  if (!Array.isArray(chosen) || chosen.length === 0) return refusedIn(learned);
  return new Set(convertibleFormats.filter((format) => !(chosen as unknown[]).includes(format)));
}

const NO_ROUTE = new Set([405, 501]);
/** A 404 with such words is about the model or a stored object, not about the path. */
const ABOUT_OBJECT = /model|模型|deployment|engine|previous_response|\b(?:resp|msg|rs|file)_|\bitem\b/i;

/** Whether a refusal says that the upstream has no such path. */
export function isUnknownPath(status: number, answer: string): boolean {
  return NO_ROUTE.has(status) || (status === 404 && !ABOUT_OBJECT.test(answer.slice(0, 4000)));
}

// Helpers for writing a request in a platform's own fields. What cannot be expressed is noted for the receipt.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import type { Picture, Size, VideoRequest } from './request.ts';

type Notes = ConversionNote[];

/** Base64 without the `data:` before it, or the address. */
export const pictureText = (picture: Picture): string =>
  'url' in picture ? picture.url : Buffer.from(picture.bytes).toString('base64');

/** An address; data as a `data:` URL. */
export const pictureUrl = (picture: Picture): string =>
  'url' in picture ? picture.url : `data:${picture.type};base64,${pictureText(picture)}`;

/** The allowed value nearest to the wish; the larger of two equally near. */
export function nearest(wish: number, allowed: readonly number[]): number {
  return allowed.reduce((best, each) => {
    const difference = Math.abs(each - wish) - Math.abs(best - wish);
    return difference < 0 || (difference === 0 && each > best) ? each : best;
  }, allowed[0] ?? wish);
}

/** The resolution of a size that is sent as it is. */
export const resolutionOf = ({ width, height }: Size): string => `${Math.min(width, height)}p`;

export function noteSeconds({ seconds }: VideoRequest, made: number, notes: Notes): void {
  if (seconds !== undefined && seconds !== made)
    notes.push({ field: 'seconds', what: 'approximated', detail: `the video has ${made} seconds` });
}

export function noteResolution({ resolution }: VideoRequest, made: string, notes: Notes): void {
  if (resolution !== undefined && resolution !== made)
    notes.push({ field: 'size', what: 'approximated', detail: `the video has ${made}` });
}

/** The allowed ratio nearest to the wish; undefined without a wish. */
export function aspectOf(video: VideoRequest, allowed: readonly string[], notes: Notes): string | undefined {
  const { aspect } = video;
  if (aspect === undefined) return undefined;
  const wish = ratioOf(aspect);
  const distance = (text: string) => Math.abs(Math.log(ratioOf(text) / wish));
  const [best] = allowed.toSorted((left, right) => distance(left) - distance(right));
  // A wish is reduced: 21:9 is 7:3.
  if (best !== undefined && distance(best) > 0)
    notes.push({ field: 'size', what: 'approximated', detail: `the video has ${best}` });
  return best;
}

/** Width by height of `16:9`. */
export function ratioOf(aspect: string): number {
  const [width = 1, height = 1] = aspect.split(':').map(Number);
  return width / height;
}

/** The first frame; further pictures are noted. */
export function onePicture({ pictures }: VideoRequest, notes: Notes): Picture | undefined {
  if (pictures.length > 1)
    notes.push({ field: 'images', what: 'dropped', detail: 'only the first picture is used' });
  return pictures[0];
}

/** The caller's other fields that the platform takes under the same names. */
export function extrasOf(
  { extras }: VideoRequest,
  known: readonly string[],
  notes: Notes,
): Record<string, unknown> {
  const taken: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(extras)) {
    if (known.includes(name)) taken[name] = value;
    else notes.push({ field: name, what: 'dropped', detail: 'the platform has no such parameter' });
  }
  return taken;
}

export function dropLastFrame({ lastFrame }: VideoRequest, notes: Notes): void {
  if (lastFrame !== undefined)
    notes.push({
      field: 'last_frame_image',
      what: 'dropped',
      detail: 'the platform takes no last frame',
      isAttachment: true,
    });
}

/** A text or number as text; empty for anything else. */
export function idText(value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
  return text.length <= 500 && /^[\w./:@-]+$/.test(text) ? text : '';
}

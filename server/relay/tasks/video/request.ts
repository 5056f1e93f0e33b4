// A request for a video, independent of the platform: read from the fields of OpenAI's API, of the family's
// /v1/video/generations, or of a platform's own API.
import { isObject } from '#server/models/formats/json.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { addressOf, textOf } from '#server/relay/tasks/report-fields.ts';

export type Fields = Readonly<Record<string, unknown>>;

export type Picture = { readonly url: string } | { readonly type: string; readonly bytes: Uint8Array };

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface VideoRequest {
  /** The upstream's name of the model. */
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number | undefined;
  readonly size: Size | undefined;
  /** Such as `720p`; from `size` when not given. */
  readonly resolution: string | undefined;
  /** Such as `16:9`; from `size` when not given. */
  readonly aspect: string | undefined;
  /** The first is the first frame. */
  readonly pictures: readonly Picture[];
  readonly lastFrame: Picture | undefined;
  /** Every other field of the caller. */
  readonly extras: Fields;
  /** Where the upstream may say that a task has changed. */
  readonly callbackUrl: string | undefined;
}

const LONGEST_SECONDS = 3600;
const LARGEST_SIDE = 16_384;
const MOST_PICTURES = 10;
const DATA_PICTURE = /^data:(image\/[\w.+-]{1,40});base64,([A-Za-z0-9+/=\s]+)$/;

/** Each can be megabytes long. */
export const PICTURE_FIELDS: readonly string[] = [
  'input_reference',
  'image',
  'image_url',
  'images',
  'first_frame_image',
  'image_tail',
  'last_frame_image',
];

/** Fields that become a member of the request; the others are `extras`. */
const READ = new Set([
  'model',
  'model_name',
  'prompt',
  'seconds',
  'duration',
  'durationSeconds',
  'size',
  'width',
  'height',
  'resolution',
  ...PICTURE_FIELDS,
  'metadata',
  'callback_url',
  'webhook_url',
]);

/** `picture`: a file that was uploaded with the fields. */
export function readVideo(given: Fields, picture: Picture | undefined): VideoRequest {
  // The family puts fields of the platform into `metadata`.
  const { metadata } = given;
  const fields: Fields = isObject(metadata) ? { ...metadata, ...given } : given;
  const prompt = textOf(fields['prompt'], Infinity);
  const pictures = picture === undefined ? picturesIn(fields) : [picture];
  if (prompt.trim() === '' && pictures.length === 0) refuse('prompt');
  const size = sizeIn(fields);
  return {
    model: textOf(fields['model'] ?? fields['model_name'], 255),
    prompt,
    seconds: secondsIn(fields),
    size,
    resolution: resolutionIn(fields['resolution']) ?? (size && `${Math.min(size.width, size.height)}p`),
    aspect: aspectIn(fields) ?? (size && reduced(size)),
    pictures,
    lastFrame: pictureIn(fields, 'image_tail') ?? pictureIn(fields, 'last_frame_image'),
    extras: Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isRead(name, value))),
    callbackUrl: undefined,
  };
}

/** `1920x1080` also for a request with a resolution or a shape; empty when it has neither. */
export function askedSize({ size, resolution, aspect }: VideoRequest): string {
  if (size !== undefined) return `${size.width}x${size.height}`;
  if (resolution === undefined && aspect === undefined) return '';
  const lines = Number.parseInt(resolution ?? '720', 10);
  const { width, height } = pairOf(aspect) ?? { width: 16, height: 9 };
  const even = (side: number): number => Math.round(side / 2) * 2;
  return width >= height
    ? `${even((lines * width) / height)}x${lines}`
    : `${lines}x${even((lines * height) / width)}`;
}

const ASPECT_NAMES = ['aspect_ratio', 'aspectRatio', 'ratio'];

/** A ratio in words, such as `adaptive`, is left to the platform. */
const isRead = (name: string, value: unknown): boolean =>
  READ.has(name) || (ASPECT_NAMES.includes(name) && pairOf(value) !== undefined);

function refuse(field: string): never {
  throw new RelayError('invalid_field', { field }, { param: field });
}

function secondsIn(fields: Fields): number | undefined {
  const name = ['seconds', 'duration', 'durationSeconds'].find((each) => isGiven(fields[each]));
  if (name === undefined) return undefined;
  const value = fields[name];
  const seconds = typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN;
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_SECONDS) refuse(name);
  return seconds;
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

/** `1280x720`, `1280*720` or `16:9`. */
function pairOf(value: unknown): Size | undefined {
  const text = typeof value === 'string' ? value : '';
  const [, width, height] = /^([1-9]\d{0,4})\s*[x*:]\s*([1-9]\d{0,4})$/i.exec(text) ?? [];
  if (width === undefined || height === undefined) return undefined;
  return { width: Number(width), height: Number(height) };
}

/** Runway writes the size as `ratio`. */
const SMALLEST_RATIO_SIDE = 100;

function sizeIn({ size, width, height, ratio }: Fields): Size | undefined {
  if (isGiven(size)) {
    const pair = pairOf(size);
    if (pair === undefined) refuse('size');
    return sized(pair.width, pair.height, 'size');
  }
  if (isGiven(width) && isGiven(height)) return sized(Number(width), Number(height), 'width');
  const pair = pairOf(ratio);
  return pair !== undefined && Math.min(pair.width, pair.height) >= SMALLEST_RATIO_SIDE ? pair : undefined;
}

function sized(width: number, height: number, field: string): Size {
  const isSide = (side: number) => Number.isInteger(side) && side >= 16 && side <= LARGEST_SIDE;
  if (!isSide(width) || !isSide(height)) refuse(field);
  return { width, height };
}

/** `1080P`, `1080`, `4K` or `1280x720`. */
export function resolutionIn(value: unknown): string | undefined {
  if (!isGiven(value)) return undefined;
  const text =
    typeof value === 'string' || typeof value === 'number' ? String(value).trim().toLowerCase() : '';
  if (text === '4k') return '2160p';
  if (text === '2k') return '1440p';
  const [, lines] = /^(\d{2,5})p?$/.exec(text) ?? [];
  if (lines !== undefined) return `${lines}p`;
  const pair = pairOf(text);
  if (pair === undefined) refuse('resolution');
  return `${Math.min(pair.width, pair.height)}p`;
}

function aspectIn(fields: Fields): string | undefined {
  const pair = ASPECT_NAMES.map((name) => pairOf(fields[name])).find((each) => each !== undefined);
  return pair && reduced(pair);
}

function reduced({ width, height }: Size): string {
  const divisor = (left: number, right: number): number =>
    right === 0 ? left : divisor(right, left % right);
  const by = Math.max(1, divisor(width, height));
  return `${width / by}:${height / by}`;
}

function picturesIn(fields: Fields): Picture[] {
  for (const name of ['input_reference', 'image', 'image_url', 'first_frame_image']) {
    const picture = pictureIn(fields, name);
    if (picture !== undefined) return [picture];
  }
  const { images } = fields;
  if (images === undefined || images === null) return [];
  if (!Array.isArray(images) || images.length > MOST_PICTURES) refuse('images');
  return images.map((each: unknown) => pictureOf(each) ?? refuse('images'));
}

function pictureIn(fields: Fields, name: string): Picture | undefined {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return undefined;
  return pictureOf(value) ?? refuse(name);
}

/** An address, data as a URL, plain base64, or OpenAI's `{image_url}`. */
function pictureOf(value: unknown): Picture | undefined {
  if (isObject(value)) return pictureOf(value['image_url'] ?? value['url']);
  if (typeof value !== 'string') return undefined;
  const [, type, data] = DATA_PICTURE.exec(value) ?? [];
  if (type !== undefined && data !== undefined) return { type, bytes: Buffer.from(data, 'base64') };
  const address = addressOf(value);
  if (address !== '') return { url: address };
  if (value.length < 64 || !/^[A-Za-z0-9+/=\s]+$/.test(value)) return undefined;
  const bytes = Buffer.from(value, 'base64');
  const found = pictureType(bytes);
  return found === undefined ? undefined : { type: found, bytes };
}

/** By the first bytes; undefined for what is no picture that the platforms take. */
export function pictureType(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (head.startsWith('\u0089PNG')) return 'image/png';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return undefined;
}

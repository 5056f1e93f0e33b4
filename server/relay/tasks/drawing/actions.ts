// Reads a submission: the action, which names the priced model, and for follow-ups the original drawing.
import type { DrawingAction } from '#contract/relay/drawing.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';

type Body = Readonly<Record<string, unknown>>;

export interface Submission {
  readonly action: DrawingAction;
  /** The drawing a follow-up belongs to. */
  readonly origin: string | undefined;
  /** Confirms a dialog of the original drawing, which therefore need not be finished. */
  readonly isConfirmation?: boolean;
}

const LONGEST_ID = 128;

/** By path below /mj. */
const submissions: Readonly<Record<string, (body: Body) => Submission>> = {
  'submit/imagine': (body) => ({ action: 'IMAGINE', origin: need(body, 'prompt') && undefined }),
  'submit/shorten': (body) => ({ action: 'SHORTEN', origin: need(body, 'prompt') && undefined }),
  'submit/describe': (body) => {
    if (!isText(body['base64']) && !isText(body['link'])) refuse('base64');
    return { action: 'DESCRIBE', origin: undefined };
  },
  'submit/blend': (body) => ({ action: 'BLEND', origin: needList(body, 'base64Array', 2) }),
  'submit/upload-discord-images': (body) => ({
    action: 'UPLOAD',
    origin: needList(body, 'base64Array', 1),
  }),
  'insight-face/swap': (body) => {
    need(body, 'sourceBase64');
    need(body, 'targetBase64');
    return { action: 'SWAP_FACE', origin: undefined };
  },
  'submit/change': change,
  'submit/simple-change': simpleChange,
  'submit/action': (body) => ({ action: actionOfButton(need(body, 'customId')), origin: taskOf(body) }),
  'submit/modal': (body) => ({ action: 'MODAL', origin: taskOf(body), isConfirmation: true }),
};

/** Undefined for an unknown path. */
export function submissionAt(path: string): ((body: Body) => Submission) | undefined {
  return Object.hasOwn(submissions, path) ? submissions[path] : undefined;
}

const CHANGES: Readonly<Record<string, DrawingAction>> = {
  UPSCALE: 'UPSCALE',
  VARIATION: 'VARIATION',
  REROLL: 'REROLL',
};

function change(body: Body): Submission {
  const action = CHANGES[need(body, 'action').toUpperCase()];
  if (action === undefined) refuse('action');
  const { index } = body;
  if (action !== 'REROLL' && !(typeof index === 'number' && index >= 1 && index <= 4)) refuse('index');
  return { action, origin: taskOf(body) };
}

/** `1320098173412546 U2`: the drawing, then U1 to U4, V1 to V4 or R. */
function simpleChange(body: Body): Submission {
  const [, origin, letter] =
    /^(\S+)\s+(?:([UV])[1-4]|R)$/i.exec(need(body, 'content').trim()) ?? refuse('content');
  const action = letter === undefined ? 'REROLL' : letter.toUpperCase() === 'U' ? 'UPSCALE' : 'VARIATION';
  return { action, origin: idOf(origin, 'content') };
}

/** By button name, the first match wins: `MJ::JOB::upsample::2::…`, `MJ::Outpaint::50::1::…`. */
const BUTTONS: readonly (readonly [RegExp, DrawingAction])[] = [
  [/^low_variation/i, 'LOW_VARIATION'],
  [/^high_variation/i, 'HIGH_VARIATION'],
  [/variation/i, 'VARIATION'],
  [/upsample/i, 'UPSCALE'],
  [/reroll/i, 'REROLL'],
  [/^pan_/i, 'PAN'],
  [/^customzoom$/i, 'CUSTOM_ZOOM'],
  [/^outpaint$/i, 'ZOOM'],
  [/^inpaint$/i, 'INPAINT'],
  // Buttons under a description or a shortened prompt draw one of its texts.
  [/^(?:picreader|promptanalyzer)/i, 'IMAGINE'],
];

export function actionOfButton(customId: string): DrawingAction {
  const [, first = '', second = ''] = customId.split('::');
  const name = /^job$/i.test(first) ? second : first;
  const found = BUTTONS.find(([pattern]) => pattern.test(name));
  return found?.[1] ?? refuse('customId');
}

function taskOf(body: Body): string {
  const value = body['taskId'];
  // Some clients send the id as a number; beyond 2^53 it has lost digits.
  return idOf(typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value, 'taskId');
}

function idOf(value: unknown, field: string): string {
  if (typeof value !== 'string' || !/^[\w-]+$/.test(value) || value.length > LONGEST_ID) refuse(field);
  return value;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function need(body: Body, field: string): string {
  const value = body[field];
  return isText(value) ? value : refuse(field);
}

function needList(body: Body, field: string, least: number): undefined {
  const value = body[field];
  if (!Array.isArray(value) || value.length < least || !value.every(isText)) refuse(field);
}

function refuse(field: string): never {
  throw new RelayError('invalid_field', { field }, { param: field });
}

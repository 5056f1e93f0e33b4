// What an answer has and the caller's format has no place for. `answer-losses.test.ts` compares this with what the encoders
// write. Facts about the call (service tier, fingerprints) are not noted: every answer of some upstreams has them.
import type { CanonicalEvent, ConversionNote, FormatName, Origin } from './canonical.ts';

const VENDORS: Readonly<Partial<Record<FormatName, Origin>>> = {
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  'gemini-generate': 'google',
};

const hasOneChoice = (format: FormatName): boolean =>
  format === 'openai-responses' || format === 'anthropic-messages';

export interface AnswerShape {
  format: FormatName;
  isStream: boolean;
}

/** Adds to `notes` what is lost of the event, each field once. Returns whether something was added. */
export function noteAnswerLoss(shape: AnswerShape, event: CanonicalEvent, notes: ConversionNote[]): boolean {
  const loss = lossOf(shape, event);
  if (loss === undefined) return false;
  const field = `answer.${loss[0]}`;
  if (notes.some((note) => note.field === field)) return false;
  notes.push({ field, what: 'dropped', detail: loss[1] });
  return true;
}

/** Members of the upstream's answer that its codec does not know; no format gets them. Returns whether something was added. */
export function noteUnread(unread: ReadonlySet<string>, notes: ConversionNote[]): boolean {
  const fields = [...unread].map((path) => `answer.${path}`);
  const missing = fields.filter((field) => !notes.some((note) => note.field === field));
  for (const field of missing)
    notes.push({ field, what: 'dropped', detail: 'a member that is not carried between formats' });
  return missing.length > 0;
}

type Loss = readonly [field: string, detail: string];

const SIGNATURE: Loss = ['signature', 'a signature has no place beside this part'];

function lossOf({ format, isStream }: AnswerShape, event: CanonicalEvent): Loss | undefined {
  if (!('choice' in event)) return undefined;
  if (event.choice !== 0 && hasOneChoice(format)) return ['choices', 'the format has one answer'];
  switch (event.type) {
    case 'text-delta': {
      if (event.logprobs !== undefined) {
        const isLost = format === 'anthropic-messages' || (format === 'gemini-generate' && isStream);
        if (isLost) return ['logprobs', 'the format has no log probabilities here'];
      }
      return event.signature !== undefined && hasOneChoice(format) ? SIGNATURE : undefined;
    }
    case 'image': {
      const isKept =
        event.signature === undefined || format === 'anthropic-messages' || format === 'gemini-generate';
      return isKept ? undefined : SIGNATURE;
    }
    case 'citation': {
      const { url, origin } = event.citation;
      const isKept = url !== undefined || (VENDORS[format] === origin && hasOneChoice(format));
      return isKept ? undefined : ['citations', 'the source has no address'];
    }
    case 'audio-delta':
      if (format === 'gemini-generate')
        return event.transcript ? ['audio.transcript', 'a recording has no transcript here'] : undefined;
      return event.data && hasOneChoice(format)
        ? ['audio', 'only what was said is written; the format has no recordings']
        : undefined;
    case 'provider-item':
      if (event.origin === VENDORS[format]) return undefined;
      return [nameOf(event.item), 'an item of another provider’s own'];
    case 'finish': {
      const isLost = event.stopSequence !== undefined && format !== 'anthropic-messages';
      return isLost ? ['stop_sequence', 'the format does not say which one ended the answer'] : undefined;
    }
    default:
      return undefined;
  }
}

/** Google names an item by its only member. */
function nameOf(item: Readonly<Record<string, unknown>>): string {
  return typeof item['type'] === 'string' ? item['type'] : (Object.keys(item)[0] ?? 'item');
}

// The input of the next response of a realtime session, as far as the gateway can count it: instructions, tools and the
// whole conversation. A response reads all of it again. Each usage report replaces the count by the upstream's own.
import { usageOf, type Usage } from '#server/money/prices/usage.ts';
import type { CanonicalUsage } from '#server/models/formats/canonical.ts';
import { isObject, member, type Json } from '#server/models/formats/json.ts';
import { estimateTokens } from '#server/relay/request/estimate.ts';
import { imageTokens } from '#server/relay/request/request-size.ts';

const PER_ITEM = 3;
/** An answer's own frame, which a response reads before its first item. */
const PER_RESPONSE = 3;
/** A token is a tenth of a second of the user's audio, and a twentieth of the model's. */
const INPUT_TOKENS_PER_SECOND = 10;
const OUTPUT_TOKENS_PER_SECOND = 20;

/** The count of appended audio follows the format, which an upstream may not have told: G.711 has six times the seconds. */
const APPENDED_FACTOR = 8;

type Input = Pick<Usage, 'input' | 'cacheRead' | 'imageInput' | 'audioInput'>;

export class Conversation {
  /** Instructions and tools included. */
  #input: Input = { input: PER_RESPONSE, cacheRead: 0, imageInput: 0, audioInput: 0 };
  #instructions: unknown;
  #tools: unknown;
  #inputFormat: unknown;
  #outputFormat: unknown;
  /** Base64 characters that were appended and not committed. */
  #appended = 0;
  /** Audio tokens that the caller committed and the upstream has not confirmed. */
  #committing = 0;
  #speech = { startedAt: 0, milliseconds: 0 };
  /** The session transcribes and makes no responses. */
  isTranscription = false;
  /** Of each response; undefined without one. */
  outputLimit: number | undefined;
  /** By which name the upstream calls the limit: the older API has another one. */
  limitField = 'max_output_tokens';
  /** Responses have audio unless session or response ask for text alone. */
  isSpoken = true;
  /** Audio tokens of the user in the whole session. */
  heardTokens = 0;
  /** Transcribes the user's audio beside the conversation. */
  transcriptionModel = '';

  /** Instructions and tools as the caller wants them. */
  instruct(session: Json): void {
    const before = this.#setup(this.#instructions, this.#tools);
    this.#instructions = session['instructions'] ?? this.#instructions;
    this.#tools = session['tools'] ?? this.#tools;
    this.outputLimit = outputLimitIn(session, this.outputLimit);
    this.isSpoken = isSpokenIn(session, this.isSpoken);
    this.#addText(this.#setup(this.#instructions, this.#tools) - before);
  }

  /** The session as the upstream runs it. The audio formats are read only here: the caller cannot make its audio cheaper. */
  configure(session: Json): void {
    this.instruct(session);
    const audio = member(session['audio']);
    this.#inputFormat = formatOf(audio['input']) ?? session['input_audio_format'] ?? this.#inputFormat;
    this.#outputFormat = formatOf(audio['output']) ?? session['output_audio_format'] ?? this.#outputFormat;
    this.isTranscription ||= session['type'] === 'transcription';
    if ('max_response_output_tokens' in session) this.limitField = 'max_response_output_tokens';
    const transcription = member(audio['input'])['transcription'] ?? session['input_audio_transcription'];
    if (isObject(transcription)) this.transcriptionModel = String(transcription['model']);
  }

  add(item: unknown): void {
    const { input, imageInput, audioInput } = this.#sizeOf(item);
    this.#input.imageInput += imageInput;
    this.#input.audioInput += audioInput;
    this.heardTokens += audioInput;
    this.#addText(input);
  }

  append(audio: unknown): void {
    if (typeof audio === 'string') this.#appended += audio.length;
  }

  clear(): void {
    this.#appended = 0;
  }

  /** Audio tokens that the next transcription reads. */
  get committingTokens(): number {
    return this.#committing;
  }

  /** The caller ends its turn: the next response reads what was appended. */
  commit(): void {
    this.#committing += this.#audioTokens(this.#appended);
    this.#appended = 0;
  }

  speechStarted(milliseconds: unknown): void {
    this.#speech.startedAt = Number(milliseconds) || 0;
  }

  speechStopped(milliseconds: unknown): void {
    this.#speech.milliseconds += Math.max(0, (Number(milliseconds) || 0) - this.#speech.startedAt);
  }

  /** The upstream has made an item of the audio. Without a commit by the caller it is the speech that the upstream heard. */
  committed(): number {
    if (this.#committing === 0) {
      const appended = this.#audioTokens(this.#appended);
      const heard = Math.ceil((this.#speech.milliseconds / 1000) * INPUT_TOKENS_PER_SECOND);
      // The upstream's word for the length, but never much more than the caller sent.
      this.#committing =
        heard > 0 ? Math.min(heard, appended * APPENDED_FACTOR + INPUT_TOKENS_PER_SECOND) : appended;
      this.#appended = 0;
    }
    const tokens = this.#committing;
    this.#input.audioInput += tokens;
    this.heardTokens += tokens;
    this.#committing = 0;
    this.#speech.milliseconds = 0;
    return tokens;
  }

  /** The input of a response with these fields of `response.create`. */
  inputOf(response: Json = {}): Usage {
    const setup = this.#setup(this.#instructions, this.#tools);
    const { instructions = this.#instructions, tools = this.#tools, input: items } = response;
    const ownSetup = this.#setup(instructions, tools);
    if (Array.isArray(items)) {
      const sizes = items.map((item) => this.#sizeOf(item));
      const sum = (name: 'input' | 'imageInput' | 'audioInput') =>
        sizes.reduce((total, size) => total + size[name], 0);
      return usageOf({
        input: PER_RESPONSE + ownSetup + sum('input'),
        imageInput: sum('imageInput'),
        audioInput: sum('audioInput'),
      });
    }
    const { input, audioInput } = this.#input;
    return usageOf({
      ...this.#input,
      input: Math.max(0, input + ownSetup - setup),
      audioInput: audioInput + this.#committing,
    });
  }

  /**
   * The next response reads what this one read, with the same part cached, what this one said, and what was added
   * since this one began with the input `atBegin`.
   */
  learn(report: CanonicalUsage, atBegin: Usage): void {
    const added = (name: keyof Input) => Math.max(0, this.#input[name] - atBegin[name]);
    this.#input = {
      input: report.input + report.output + added('input'),
      cacheRead: report.cacheRead,
      imageInput: report.imageInput + added('imageInput'),
      audioInput: report.audioInput + report.audioOutput + added('audioInput'),
    };
  }

  addOutput({ output, audioOutput }: Pick<Usage, 'output' | 'audioOutput'>): void {
    this.#addText(output);
    this.#input.audioInput += audioOutput;
  }

  /** Tokens of the model's audio. */
  spokenTokens(base64Length: number): number {
    return Math.ceil(seconds(base64Length, this.#outputFormat) * OUTPUT_TOKENS_PER_SECOND);
  }

  #audioTokens(base64Length: number): number {
    return Math.ceil(seconds(base64Length, this.#inputFormat) * INPUT_TOKENS_PER_SECOND);
  }

  #setup(instructions: unknown, tools: unknown): number {
    return textTokens(instructions) + (Array.isArray(tools) && tools.length > 0 ? textTokens(tools) : 0);
  }

  #addText(tokens: number): void {
    this.#input.input = Math.max(0, this.#input.input + tokens);
  }

  #sizeOf(item: unknown): Omit<Input, 'cacheRead'> {
    const size = { input: 0, imageInput: 0, audioInput: 0 };
    if (!isObject(item)) return size;
    size.input = PER_ITEM + textTokens(item['name']) + textTokens(item['arguments']);
    size.input += textTokens(item['output']);
    const { content } = item;
    for (const part of Array.isArray(content) ? (content as unknown[]) : []) {
      if (!isObject(part)) continue;
      const type = String(part['type']);
      if (type.includes('image')) size.imageInput += imageTokens(part);
      else if (typeof part['audio'] === 'string') size.audioInput += this.#audioTokens(part['audio'].length);
      else size.input += textTokens(part['text'] ?? part['transcript']);
    }
    return size;
  }
}

/** `inf` is none. */
export function outputLimitIn(holder: Json, otherwise: number | undefined): number | undefined {
  const given = holder['max_output_tokens'] ?? holder['max_response_output_tokens'];
  if (given === undefined || given === null) return otherwise;
  return Number.isSafeInteger(given) && Number(given) > 0 ? Number(given) : undefined;
}

/** Does a response with these fields have audio? */
export function isSpokenIn(holder: Json, otherwise: boolean): boolean {
  const modalities = holder['output_modalities'] ?? holder['modalities'];
  return Array.isArray(modalities) ? modalities.includes('audio') : otherwise;
}

const formatOf = (side: unknown): unknown => (isObject(side) ? (side['format'] ?? undefined) : undefined);

function textTokens(value: unknown): number {
  if (value === undefined || value === null) return 0;
  return estimateTokens(typeof value === 'string' ? value : JSON.stringify(value));
}

const TELEPHONE_BYTES_PER_SECOND = 8000;
const USUAL_RATE = 24_000;
const RATES = { least: 8000, most: 48_000 };

/** G.711 has one byte for a sample, at 8 kHz; everything else is 16 bit. */
function seconds(base64Length: number, format: unknown): number {
  const bytes = (base64Length * 3) / 4;
  const { type, rate } = isObject(format) ? format : { type: format, rate: undefined };
  if (typeof type === 'string' && /[ua]law|pcm[ua]$/.test(type)) return bytes / TELEPHONE_BYTES_PER_SECOND;
  const isKnown = typeof rate === 'number' && rate >= RATES.least && rate <= RATES.most;
  return bytes / (2 * (isKnown ? rate : USUAL_RATE));
}

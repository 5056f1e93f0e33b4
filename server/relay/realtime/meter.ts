// Counts what a realtime session costs, from the events of both sides. A response is charged by the usage it reports in
// `response.done`; until then it counts as its input as estimated and its output as delivered.
import {
  completionTokens,
  promptTokens as promptTokensOf,
  usageOf,
  type Usage,
} from '#server/money/prices/usage.ts';
import { isObject, type Json } from '#server/models/formats/json.ts';
import { promptTokens, totalTokens } from '#server/models/formats/openai-usage.ts';
import { sessionBounds } from '#server/relay/money/asked-for.ts';
import { tokensOfContent } from '#server/relay/answer/event-text.ts';
import { BelievedReports, transcriptionBounds } from './believed-reports.ts';
import { Conversation } from './conversation.ts';
import {
  askedResponse,
  hasOutput,
  heldLimit,
  nextOutput,
  outstanding,
  transcript,
  type AskedResponse,
  type OpenResponse,
} from './responses.ts';
import {
  sumOf,
  withOutput,
  type SessionTerms,
  type SessionUsage,
  type TokenCounts,
} from './session-usage.ts';
import { Transcriptions } from './transcriptions.ts';

export class SessionMeter {
  readonly #conversation = new Conversation();
  readonly #open = new Map<string, OpenResponse>();
  readonly #transcriptions: Transcriptions;
  readonly #terms: SessionTerms;
  readonly #reports = new BelievedReports();
  #total = usageOf({});
  #hasTotal = false;
  #isEstimated = false;
  /** Neither begun nor refused by the upstream. */
  #asked: AskedResponse[] = [];
  #hasJustAsked = false;
  #lastPiece: { response: OpenResponse; output: number; audioLength: number } | undefined;

  constructor(terms: SessionTerms) {
    this.#terms = terms;
    this.#transcriptions = new Transcriptions(terms.priceOf);
  }

  /** A response is asked for or begun and has not ended. */
  get isRunning(): boolean {
    return this.#open.size > 0 || this.#asked.length > 0;
  }

  /** True: the event leads to a larger charge. Appended audio does not until it is committed: a microphone sends much silence. */
  readCaller(event: Json): boolean {
    this.#hasJustAsked = event['type'] === 'response.create';
    switch (event['type']) {
      case 'session.update':
      case 'transcription_session.update':
        if (isObject(event['session'])) this.#conversation.instruct(event['session']);
        return true;
      case 'conversation.item.create':
        this.#conversation.add(event['item']);
        return true;
      case 'input_audio_buffer.append':
        this.#conversation.append(event['audio']);
        return false;
      case 'input_audio_buffer.clear':
        this.#conversation.clear();
        return false;
      case 'input_audio_buffer.commit':
        this.#conversation.commit();
        return true;
      case 'response.create':
        this.#asked.push(this.#asking(isObject(event['response']) ? event['response'] : {}));
        return true;
      default:
        return false;
    }
  }

  readUpstream(event: Json): void {
    this.#lastPiece = undefined;
    const { type } = event;
    switch (type) {
      case 'session.created':
      case 'session.updated':
      case 'transcription_session.created':
      case 'transcription_session.updated':
        if (isObject(event['session'])) this.#conversation.configure(event['session']);
        if (type.startsWith('transcription')) this.#conversation.isTranscription = true;
        break;
      case 'input_audio_buffer.speech_started':
        this.#conversation.speechStarted(event['audio_start_ms']);
        break;
      case 'input_audio_buffer.speech_stopped':
        this.#conversation.speechStopped(event['audio_end_ms']);
        break;
      case 'input_audio_buffer.committed':
        this.#committed(event['item_id']);
        break;
      case 'error':
        this.#asked.shift();
        break;
      case 'response.created':
        if (isObject(event['response'])) this.#begun(event['response']);
        break;
      case 'response.done':
        if (isObject(event['response'])) this.#done(event['response']);
        break;
      case 'conversation.item.input_audio_transcription.delta':
        if (this.#conversation.isTranscription) this.#piece(event['item_id'], event);
        break;
      case 'conversation.item.input_audio_transcription.failed':
        this.#transcriptions.end(event['item_id']);
        break;
      case 'conversation.item.input_audio_transcription.completed':
        if (this.#conversation.isTranscription) this.#end(event['item_id'], event['usage'], false);
        else this.#transcribed(event['item_id'], event['usage']);
        break;
      default:
        if (typeof type === 'string' && type.startsWith('response.') && type.endsWith('.delta'))
          this.#piece(event['response_id'], event);
    }
  }

  /** The caller's event that was read last was not sent: a response it asks for does not begin. */
  takeBackAsked(): void {
    if (this.#hasJustAsked) this.#asked.pop();
    this.#hasJustAsked = false;
  }

  /** The upstream's event that was read last was not delivered: its content is not charged. */
  takeBackPiece(): void {
    if (this.#lastPiece === undefined) return;
    const { response, output, audioLength } = this.#lastPiece;
    response.output -= output;
    response.audioLength -= audioLength;
    this.#lastPiece = undefined;
  }

  /** `hasFailed`: the upstream broke off, so a response without output costs nothing. */
  usage(hasFailed = false): SessionUsage {
    let { usage, isEmpty }: Pick<SessionUsage, 'usage' | 'isEmpty'> = {
      usage: this.#total,
      isEmpty: !this.#hasTotal,
    };
    let isEstimated = this.#isEstimated;
    for (const response of this.#open.values()) {
      if (hasFailed && !hasOutput(response)) continue;
      usage = sumOf(usage, this.#estimateOf(response));
      isEmpty = false;
      isEstimated = true;
    }
    for (const { input } of hasFailed ? [] : this.#asked) {
      usage = sumOf(usage, input);
      isEmpty = false;
      isEstimated = true;
    }
    return { usage, isEstimated, isEmpty, doubts: this.#reports.doubts };
  }

  /** The same with the input of one more response, which the caller may now ask for or the upstream begin. */
  usageWithNext(): Usage {
    return this.#withNext(this.usage().usage);
  }

  /** What the session can cost with what runs: responses up to their limits, transcriptions at their dearest. */
  mostUsage(): Usage {
    let { usage } = this.usage();
    for (const response of this.#open.values())
      usage = withOutput(usage, outstanding(response, completionTokens(this.#estimateOf(response))));
    for (const asked of this.#asked) usage = withOutput(usage, [asked.dearest, asked.outputLimit]);
    const { possible } = this.#transcriptions;
    return possible.length === 0 ? usage : { ...usage, surcharges: [...usage.surcharges, ...possible] };
  }

  /** The same with the beginning of one more response, or with the text of audio that waits. */
  mostWithNext(): Usage {
    const most = this.#withNext(this.mostUsage());
    return this.#asked.length > 0 ? most : withOutput(most, nextOutput(this.#conversation, this.#terms));
  }

  #withNext(usage: Usage): Usage {
    return this.#asked.length > 0 ? usage : sumOf(usage, this.#conversation.inputOf());
  }

  get limitField(): string {
    return this.#conversation.limitField;
  }

  /** The response that the caller has asked for last and that has not begun. */
  get justAsked(): AskedResponse | undefined {
    return this.#hasJustAsked ? this.#asked.at(-1) : undefined;
  }

  /** A response that has begun without being asked for and whose limit is not held yet. */
  get uncovered(): AskedResponse | undefined {
    for (const response of this.#open.values()) if (!response.isCovered) return response;
    return undefined;
  }

  #asking(response: Json, isCovered = true): AskedResponse {
    return askedResponse(this.#conversation, this.#terms, response, isCovered);
  }

  #begun(response: Json): void {
    const begun = this.#responseOf(response['id']);
    if (response['conversation_id'] === null) begun.isApart = true;
  }

  #responseOf(id: unknown): OpenResponse {
    const key = typeof id === 'string' ? id : '';
    let response = this.#open.get(key);
    if (response === undefined) {
      // An upstream that hears the end of a turn begins a response that was not asked for: its limit is not held yet.
      response = { ...(this.#asked.shift() ?? this.#asking({}, false)), output: 0, audioLength: 0 };
      this.#open.set(key, response);
    }
    return response;
  }

  /** In a transcription session each item is answered by its text. */
  #committed(itemId: unknown): void {
    const audioInput = this.#conversation.committed();
    if (typeof itemId !== 'string') return;
    const { isTranscription, transcriptionModel } = this.#conversation;
    if (!isTranscription) {
      if (transcriptionModel !== '') this.#transcriptions.begin(itemId, transcriptionModel, audioInput);
      return;
    }
    this.#open.set(itemId, { ...transcript(this.#terms, audioInput), output: 0, audioLength: 0 });
  }

  #piece(id: unknown, event: Json): void {
    const { type, delta } = event;
    if (typeof delta !== 'string') return;
    const response = this.#responseOf(id);
    const isAudio = typeof type === 'string' && type.endsWith('audio.delta');
    const output = isAudio ? 0 : tokensOfContent(event);
    const audioLength = isAudio ? delta.length : 0;
    response.output += output;
    response.audioLength += audioLength;
    this.#lastPiece = { response, output, audioLength };
  }

  #transcribed(itemId: unknown, reported: unknown): void {
    const model = this.#conversation.transcriptionModel;
    this.#transcriptions.end(itemId);
    if (model === '' || !this.#reports.isFirst('transcription', itemId)) return;
    const bounds = transcriptionBounds(this.#conversation.heardTokens, this.#transcriptions.reportedTokens);
    const report = this.#reports.read(reported, bounds);
    if (report === undefined) return;
    this.#transcriptions.add(model, report);
    this.#total = { ...this.#total, ...this.#transcriptions.charged };
    this.#hasTotal = true;
  }

  #done(response: Json): void {
    this.#end(response['id'], response['usage'], response['status'] === 'failed');
    // The upstream has answered or ignored what was asked before.
    this.#asked = [];
  }

  #end(id: unknown, reported: unknown, hasFailed: boolean): void {
    const key = typeof id === 'string' ? id : '';
    const response = this.#open.get(key);
    this.#open.delete(key);
    if (!this.#reports.isFirst('response', id)) return;
    const delivered = response !== undefined && hasOutput(response);
    const asked = response ?? this.#asked[0] ?? this.#asking({}, false);
    const spoken = response === undefined ? 0 : completionTokens(this.#estimateOf(response));
    const bounds = sessionBounds(promptTokensOf(asked.input), heldLimit(asked, spoken), spoken);
    const report = this.#reports.read(reported, bounds);
    if (report !== undefined && (totalTokens(report) > 0 || !delivered)) {
      this.#add(report);
      const hasInput = promptTokens(report) > 0;
      if (response?.isApart === false && hasInput) this.#conversation.learn(report, response.conversation);
    } else if (response !== undefined && (delivered || !hasFailed)) {
      const estimate = this.#estimateOf(response);
      this.#add(estimate);
      this.#isEstimated = true;
      if (!response.isApart) this.#conversation.addOutput(estimate);
    }
  }

  #estimateOf({ input, output, audioLength }: OpenResponse): Usage {
    return { ...input, output, audioOutput: this.#conversation.spokenTokens(audioLength) };
  }

  #add(usage: TokenCounts): void {
    this.#total = sumOf(this.#total, usage);
    this.#hasTotal = true;
  }
}

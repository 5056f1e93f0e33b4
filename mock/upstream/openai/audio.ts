// /v1/audio/*: speech (bytes or SSE), transcriptions and translations (multipart in; JSON, text, subtitles or SSE out).
import { NO_USAGE } from '#mock/upstream/books.ts';
import type { Answer, Exchange, Route, StreamEvent } from '#mock/upstream/dialect.ts';
import { badRequest } from './errors.ts';
import { silence, silentWav } from './identity.ts';
import { countText } from './prompt.ts';

const SPEECH_TYPES: Record<string, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
};

const SPEECH_OUTPUT_TOKENS = 25;
const CLIP_SECONDS = 9;
const CLIP_TEXT = 'The quick brown fox jumps over the lazy dog.';
const CLIP_AUDIO_TOKENS = 90;

export const speechRoute: Route = {
  lastUserText: (body) => (typeof body['input'] === 'string' ? body['input'] : ''),
  answer({ body, behaviour, record }): Answer {
    const { input, voice } = body;
    if (typeof input !== 'string' || input === '') {
      return badRequest("Missing required parameter: 'input'.", 'input', 'missing_required_parameter');
    }
    if (voice === undefined) return badRequest("Missing required parameter: 'voice'.", 'voice');
    record.usage = {
      ...NO_USAGE,
      inputTokens: Math.max(1, countText(input)),
      outputTokens: SPEECH_OUTPUT_TOKENS,
      audioOutputTokens: SPEECH_OUTPUT_TOKENS,
      ...behaviour.usage,
    };
    if (body['stream_format'] === 'sse') {
      record.stream = true;
      return { kind: 'events', events: speechEvents(record.usage.inputTokens, record.usage.outputTokens) };
    }
    const format = typeof body['response_format'] === 'string' ? body['response_format'] : 'mp3';
    return { kind: 'bytes', body: silentWav, contentType: SPEECH_TYPES[format] ?? 'audio/mpeg' };
  },
};

function* speechEvents(inputTokens: number, outputTokens: number): Generator<StreamEvent> {
  for (let part = 0; part < 3; part += 1) {
    yield { data: JSON.stringify({ type: 'speech.audio.delta', audio: silence }) };
  }
  const usage = {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
  };
  yield { data: JSON.stringify({ type: 'speech.audio.done', usage }), tokens: outputTokens, usage: true };
}

export const transcriptionsRoute: Route = { answer: (exchange) => answerTranscript(exchange, 'transcribe') };
export const translationsRoute: Route = { answer: (exchange) => answerTranscript(exchange, 'translate') };

function answerTranscript(exchange: Exchange, task: 'transcribe' | 'translate'): Answer {
  const { form, behaviour, model, record } = exchange;
  const file = form?.get('file');
  if (!form || file === null || typeof file !== 'object' || file.size === 0) {
    return badRequest("Missing required parameter: 'file'.", 'file', 'missing_required_parameter');
  }
  if (model === '') return badRequest('you must provide a model parameter');
  const text = behaviour.text ?? CLIP_TEXT;
  const byDuration = model.startsWith('whisper');
  const audioInputTokens = byDuration ? 0 : CLIP_AUDIO_TOKENS;
  const prompt = form.get('prompt');
  record.usage = byDuration
    ? NO_USAGE
    : {
        ...NO_USAGE,
        inputTokens: audioInputTokens + (typeof prompt === 'string' ? countText(prompt) : 0),
        audioInputTokens,
        outputTokens: countText(text),
        ...behaviour.usage,
      };
  const { inputTokens, outputTokens } = record.usage;
  const usage = byDuration
    ? { type: 'duration', seconds: CLIP_SECONDS }
    : {
        type: 'tokens',
        input_tokens: inputTokens,
        input_token_details: {
          text_tokens: inputTokens - record.usage.audioInputTokens,
          audio_tokens: record.usage.audioInputTokens,
        },
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      };
  if (record.stream && !byDuration)
    return { kind: 'events', events: transcriptEvents(text, usage, outputTokens) };
  record.usageReports = 1;
  const format = form.get('response_format');
  return formatted(typeof format === 'string' ? format : 'json', text, task, usage);
}

function formatted(format: string, text: string, task: string, usage: object): Answer {
  switch (format) {
    case 'text':
      return { kind: 'bytes', body: `${text}\n`, contentType: 'text/plain; charset=utf-8' };
    case 'srt':
      return {
        kind: 'bytes',
        body: `1\n00:00:00,000 --> 00:00:09,000\n${text}\n\n`,
        contentType: 'text/plain; charset=utf-8',
      };
    case 'vtt':
      return {
        kind: 'bytes',
        body: `WEBVTT\n\n00:00:00.000 --> 00:00:09.000\n${text}\n\n`,
        contentType: 'text/vtt',
      };
    case 'verbose_json': {
      const segment = {
        id: 0,
        seek: 0,
        start: 0,
        end: CLIP_SECONDS,
        text,
        tokens: [50364, 440, 1702],
        temperature: 0,
        avg_logprob: -0.2,
        compression_ratio: 1.1,
        no_speech_prob: 0.01,
      };
      const body = { task, language: 'english', duration: CLIP_SECONDS, text, segments: [segment], usage };
      return { kind: 'json', body: JSON.stringify(body) };
    }
    default:
      return { kind: 'json', body: JSON.stringify({ text, usage }) };
  }
}

function* transcriptEvents(text: string, usage: object, outputTokens: number): Generator<StreamEvent> {
  const deltas = text.match(/\s*\S+/g) ?? [];
  for (const delta of deltas) yield { data: JSON.stringify({ type: 'transcript.text.delta', delta }) };
  yield {
    data: JSON.stringify({ type: 'transcript.text.done', text, usage }),
    tokens: outputTokens,
    usage: true,
  };
}

// OpenAI's embeddings, images and speech in Google's format.
import { embeddingAnswer, inputTexts } from '#server/models/providers/shared/embeddings.ts';
import { withoutUndefined, listIn, member, textIn, type Json } from '#server/models/providers/shared/json.ts';
import { imageAnswer } from '#server/models/providers/shared/images.ts';
import type { Format, TaskConversion } from '#server/models/providers/provider.ts';

const embeddings: TaskConversion = {
  encodeRequest: (body, notes) => ({
    requests: inputTexts(body, notes).map((text) =>
      withoutUndefined({
        model: `models/${String(body['model'])}`,
        content: { parts: [{ text }] },
        outputDimensionality: body['dimensions'],
      }),
    ),
  }),
  decodeResponse: (answer, request) =>
    embeddingAnswer(
      listIn(answer, 'embeddings').map((entry) => member(entry, 'values')),
      request,
      // Google reports no usage here; the estimate of the call is charged.
      undefined,
    ),
};

const RATIOS: Readonly<Record<string, string>> = {
  '1024x1024': '1:1',
  '1024x1792': '9:16',
  '1792x1024': '16:9',
  '1024x1536': '3:4',
  '1536x1024': '4:3',
};

const images: TaskConversion = {
  encodeRequest(body, notes) {
    for (const field of ['quality', 'style', 'background']) {
      if (body[field] !== undefined) notes.push({ field, what: 'dropped', detail: 'not known to Gemini' });
    }
    const aspectRatio = RATIOS[String(body['size'])];
    if (String(body['model']).startsWith('imagen')) {
      return {
        instances: [{ prompt: body['prompt'] }],
        parameters: withoutUndefined({ sampleCount: body['n'] ?? 1, aspectRatio }),
      };
    }
    return {
      contents: [{ role: 'user', parts: [{ text: body['prompt'] }] }],
      generationConfig: withoutUndefined({
        responseModalities: ['TEXT', 'IMAGE'],
        imageConfig: aspectRatio === undefined ? undefined : { aspectRatio },
      }),
    };
  },
  decodeResponse(answer) {
    const predicted = listIn(answer, 'predictions').map((each) => textIn(each, 'bytesBase64Encoded'));
    const drawn = listIn(answer, 'candidates', 0, 'content', 'parts').map((part) =>
      textIn(part, 'inlineData', 'data'),
    );
    const data = [...predicted, ...drawn].filter(Boolean).map((b64_json) => ({ b64_json }));
    return imageAnswer(data, usageOf(answer));
  },
};

function usageOf(answer: unknown): Json {
  const input = member(answer, 'usageMetadata', 'promptTokenCount');
  const output = member(answer, 'usageMetadata', 'candidatesTokenCount');
  if (typeof input !== 'number' || typeof output !== 'number') return {};
  return {
    usage: {
      input_tokens: input,
      output_tokens: output,
      total_tokens: input + output,
      input_tokens_details: { text_tokens: input, image_tokens: 0 },
    },
  };
}

const SAMPLES_PER_SECOND = 24_000;

const speech: TaskConversion = {
  encodeRequest: (body, notes) => {
    if (body['response_format'] !== undefined && body['response_format'] !== 'wav') {
      notes.push({ field: 'response_format', what: 'approximated', detail: 'the answer is a WAV file' });
    }
    return {
      contents: [{ role: 'user', parts: [{ text: body['input'] }] }],
      generationConfig: {
        responseModalities: ['AUDIO'],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voiceOf(body['voice']) } } },
      },
    };
  },
  decodeResponse: () => ({}),
  decodeFile(answer) {
    const data = textIn(answer, 'candidates', 0, 'content', 'parts', 0, 'inlineData', 'data');
    return { contentType: 'audio/wav', bytes: wavOf(Buffer.from(data, 'base64')) };
  },
};

/** Google has other voices; each of OpenAI's maps to one of them. */
const VOICES: Readonly<Record<string, string>> = {
  alloy: 'Kore',
  echo: 'Puck',
  fable: 'Charon',
  onyx: 'Fenrir',
  nova: 'Aoede',
  shimmer: 'Leda',
};

function voiceOf(voice: unknown): string {
  return VOICES[String(voice)] ?? (typeof voice === 'string' && voice !== '' ? voice : 'Kore');
}

/** Google sends raw samples: 16 bit, mono. */
function wavOf(samples: Uint8Array): Uint8Array {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

export const geminiTasks: Partial<Record<Format, TaskConversion>> = {
  'openai-embeddings': embeddings,
  'openai-images': images,
  'openai-speech': speech,
};

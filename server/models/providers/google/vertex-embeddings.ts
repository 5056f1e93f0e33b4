// Embeddings through Vertex AI's predict endpoint, which differs from the Gemini API.
import { embeddingAnswer, inputTexts } from '#server/models/providers/shared/embeddings.ts';
import { countIn, withoutUndefined, listIn, member } from '#server/models/providers/shared/json.ts';
import type { TaskConversion } from '#server/models/providers/provider.ts';

export const vertexEmbeddings: TaskConversion = {
  encodeRequest: (body, notes) => ({
    instances: inputTexts(body, notes).map((content) => ({ content })),
    parameters: withoutUndefined({ outputDimensionality: body['dimensions'] }),
  }),
  decodeResponse(answer, request) {
    const predictions = listIn(answer, 'predictions');
    const tokens = predictions.reduce<number>(
      (sum, each) => sum + countIn(each, 'embeddings', 'statistics', 'token_count'),
      0,
    );
    return embeddingAnswer(
      predictions.map((each) => member(each, 'embeddings', 'values')),
      request,
      tokens,
    );
  },
};

// Embeddings on Bedrock, in the format of each vendor. Cohere accepts many texts, Amazon's Titan one.
import { FormatError } from '#server/models/formats/json.ts';
import { embeddingAnswer, inputTexts } from '#server/models/providers/shared/embeddings.ts';
import { withoutUndefined, listIn, member } from '#server/models/providers/shared/json.ts';
import type { TaskConversion } from '#server/models/providers/provider.ts';

export const bedrockEmbeddings: TaskConversion = {
  encodeRequest(body, notes) {
    const texts = inputTexts(body, notes);
    if (/cohere/.test(String(body['model'])))
      return { texts, input_type: 'search_document', embedding_types: ['float'] };
    const [inputText, another] = texts;
    if (another !== undefined) throw new FormatError('input', 'one text for this model');
    return withoutUndefined({ inputText, dimensions: body['dimensions'] });
  },
  decodeResponse(answer, request) {
    const single = member(answer, 'embedding');
    const many = member(answer, 'embeddings', 'float') ?? listIn(answer, 'embeddings');
    const vectors = single === undefined ? (many as readonly unknown[]) : [single];
    const tokens = member(answer, 'inputTextTokenCount');
    return embeddingAnswer(vectors, request, typeof tokens === 'number' ? tokens : undefined);
  },
};

/** Google's generateContent. */
import type { Call, CallMessage, CallPart } from '#web/features/playground/call.ts';
import { argumentsOf, budgetOf, set, type Dialect } from './dialect.ts';

type Part = Record<string, unknown>;

export const gemini: Dialect = (call) => {
  const config = configOf(call);
  return {
    path: `/v1beta/models/${encodeURIComponent(call.model)}:streamGenerateContent?alt=sse`,
    headers: (key) => ({ 'x-goog-api-key': key }),
    body: set({
      contents: call.messages.map(contentOf),
      systemInstruction: call.system === '' ? undefined : { parts: [{ text: call.system }] },
      tools:
        call.tools.length === 0
          ? undefined
          : [
              {
                functionDeclarations: call.tools.map(({ name, description, parameters }) => ({
                  name,
                  description,
                  parametersJsonSchema: parameters,
                })),
              },
            ],
      generationConfig: Object.keys(config).length === 0 ? undefined : config,
    }),
    lost: call.verbosity === undefined ? [] : ['verbosity'],
  };
};

function configOf(call: Call): Record<string, unknown> {
  const { format, effort, facts } = call;
  return set({
    temperature: call.temperature,
    maxOutputTokens: call.maxTokens === 0 ? undefined : call.maxTokens,
    topP: call.topP,
    frequencyPenalty: call.frequencyPenalty,
    presencePenalty: call.presencePenalty,
    seed: call.seed,
    stopSequences: call.stop,
    responseMimeType: format === undefined ? undefined : 'application/json',
    responseJsonSchema: format?.type === 'schema' ? format.schema : undefined,
    thinkingConfig:
      effort === undefined
        ? undefined
        : effort === 'none'
          ? { thinkingBudget: 0 }
          : facts?.reasons_by === 'budget'
            ? { thinkingBudget: budgetOf(effort) }
            : { thinkingLevel: effort },
  });
}

function contentOf(message: CallMessage): Record<string, unknown> {
  switch (message.role) {
    case 'user':
      return { role: 'user', parts: message.parts.map(partOf) };
    case 'tool':
      return {
        role: 'user',
        parts: [{ functionResponse: { name: message.name, response: { result: message.result } } }],
      };
    default:
      return {
        role: 'model',
        parts: [
          ...(message.text === '' ? [] : [{ text: message.text }]),
          ...message.calls.map((each) => ({
            functionCall: { name: each.name, args: argumentsOf(each.arguments) },
          })),
        ],
      };
  }
}

function partOf(part: CallPart): Part {
  if (part.type === 'text') return { text: part.text };
  const mimeType = part.type === 'pdf' ? 'application/pdf' : part.mediaType;
  return { inlineData: { mimeType, data: part.data } };
}

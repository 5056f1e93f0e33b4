// The response object: the JSON answer of /v1/responses, and what the first and last events of its stream contain.
import type { Composition } from './compose.ts';
import { nowSeconds, uniqueId } from './identity.ts';

export interface OutputItem extends Record<string, unknown> {
  id: string;
  type: 'reasoning' | 'message' | 'function_call' | 'custom_tool_call';
}

export interface ResponsesAnswer {
  composition: Composition;
  /** Reasoning is encrypted, readable only for the account that asked. */
  seal: string | undefined;
  /** The constant members of the response object. */
  base: Record<string, unknown>;
  usage: Record<string, unknown>;
  ending: 'completed' | 'incomplete' | 'failed';
}

export function outputItems({ composition, seal }: ResponsesAnswer): OutputItem[] {
  const items: OutputItem[] = [];
  const { reasoning, pieces, toolCalls, usage } = composition;
  if (reasoning.length > 0 || usage.reasoningTokens > 0) {
    const summary = reasoning.length === 0 ? [] : [{ type: 'summary_text', text: reasoning.join('') }];
    const sealed = seal === undefined ? {} : { encrypted_content: `${seal}.${uniqueId('')}` };
    items.push({ id: uniqueId('rs_'), type: 'reasoning', summary, ...sealed });
  }
  if (pieces.length > 0 || toolCalls.length === 0) {
    const content = [{ type: 'output_text', annotations: [], logprobs: [], text: pieces.join('') }];
    items.push({ id: uniqueId('msg_'), type: 'message', status: 'completed', role: 'assistant', content });
  }
  for (const call of toolCalls) {
    const common = { status: 'completed', call_id: uniqueId('call_'), name: call.name };
    items.push(
      call.isCustom === true
        ? { id: uniqueId('ctc_'), type: 'custom_tool_call', ...common, input: call.arguments }
        : { id: uniqueId('fc_'), type: 'function_call', ...common, arguments: call.arguments },
    );
  }
  return items;
}

/** The response in its last event or in the JSON answer. */
export function finished(
  answer: ResponsesAnswer,
  output: unknown[],
  withUsage: boolean,
): Record<string, unknown> {
  const { ending } = answer;
  return {
    ...answer.base,
    status: ending,
    error: ending === 'failed' ? { code: 'server_error', message: 'The model failed to answer.' } : null,
    incomplete_details: ending === 'incomplete' ? { reason: 'max_output_tokens' } : null,
    completed_at: ending === 'completed' ? nowSeconds() : null,
    output,
    usage: withUsage ? answer.usage : null,
  };
}

// The whole answers of the four public formats, by the vendors' own types. A test walks them member by member, so a member that
// a vendor adds is written, noted or listed from the day its types are installed.
import type { BetaMessage } from '@anthropic-ai/sdk/resources/beta/messages';
import type { GenerateContentResponse } from '@google/genai';
import type { ChatCompletion } from 'openai/resources/chat/completions';
import type { Response } from 'openai/resources/responses/responses';

/** Members of Google's SDK that are made of others, or of the HTTP answer. */
type ClientOnly =
  | 'text'
  | 'data'
  | 'functionCalls'
  | 'executableCode'
  | 'codeExecutionResult'
  | 'sdkHttpResponse'
  | 'automaticFunctionCallingHistory';

export interface Answers {
  'openai-chat': ChatCompletion;
  'openai-responses': Omit<Response, 'output_text'>;
  'anthropic-messages': BetaMessage;
  'gemini-generate': Omit<GenerateContentResponse, ClientOnly>;
}

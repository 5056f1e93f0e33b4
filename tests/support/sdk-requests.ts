// The requests of the four public formats, composed of the vendors' own types. A test walks them member by member, so a field
// that a vendor adds has a fate towards every upstream from the day its types are installed.
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/beta/messages';
import type {
  Content,
  GenerateContentConfig,
  GenerationConfig,
  SafetySetting,
  Tool,
  ToolConfig,
} from '@google/genai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';

/** Members of Google's SDK that never reach the wire. */
type ClientOnly = 'abortSignal' | 'httpOptions' | 'automaticFunctionCalling' | 'shouldReturnHttpResponse';
type AtRoot =
  | 'systemInstruction'
  | 'tools'
  | 'toolConfig'
  | 'safetySettings'
  | 'cachedContent'
  | 'labels'
  | 'serviceTier'
  | 'modelArmorConfig';

/** What Google's SDK makes of its parameters: some members of `config` move to the root, the rest is `generationConfig`. */
interface GenerateContentRequest {
  contents: Content[];
  systemInstruction?: Content;
  tools?: Tool[];
  toolConfig?: ToolConfig;
  safetySettings?: SafetySetting[];
  cachedContent?: string;
  labels?: Record<string, string>;
  serviceTier?: 'flex' | 'priority';
  store?: boolean;
  modelArmorConfig?: GenerateContentConfig['modelArmorConfig'];
  generationConfig?: GenerationConfig &
    Omit<GenerateContentConfig, keyof GenerationConfig | AtRoot | ClientOnly>;
}

/** Members that are not in OpenAI's types and that many clients send. */
interface ChatVariants {
  top_k?: number;
  reasoning?: { effort?: string; max_tokens?: number; enabled?: boolean; exclude?: boolean };
  thinking?: { type: 'enabled'; budget_tokens: number; display?: 'summarized' | 'omitted' };
}

/** Members that the types no longer have and callers still send. */
interface OlderMessages {
  temperature?: number;
  top_k?: number;
  top_p?: number;
}

export interface Requests {
  'openai-chat': ChatCompletionCreateParamsNonStreaming & ChatVariants;
  'openai-responses': ResponseCreateParamsNonStreaming & { max_tool_calls?: number };
  'anthropic-messages': MessageCreateParamsNonStreaming & OlderMessages;
  'gemini-generate': GenerateContentRequest;
}

/** Functions that the model may call. The playground runs none: the user types what the function would have answered. */

export interface ToolDraft {
  name: string;
  description: string;
  /** A JSON schema as text. */
  parameters: string;
  /** What stands in the field of the answer before anything is typed. */
  answer: string;
}

export interface ToolDefinition {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
}

export const MOST_TOOLS = 20;
const NAME = /^[\w-]{1,64}$/;

export const EXAMPLE_TOOL: ToolDraft = {
  name: 'get_weather',
  description: 'The weather of a city now',
  parameters: JSON.stringify(
    { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    null,
    2,
  ),
  answer: '{"temperature": 21, "sky": "clear"}',
};

export type ToolFault = 'name' | 'twice' | 'parameters';

/** Why a tool cannot be sent; undefined when it can. */
export function toolFault(tool: ToolDraft, others: readonly ToolDraft[]): ToolFault | undefined {
  if (!NAME.test(tool.name)) return 'name';
  if (others.some((other) => other !== tool && other.name === tool.name)) return 'twice';
  return schemaOf(tool) === undefined ? 'parameters' : undefined;
}

function schemaOf({ parameters }: ToolDraft): Record<string, unknown> | undefined {
  if (parameters.trim() === '') return { type: 'object', properties: {} };
  try {
    const value: unknown = JSON.parse(parameters);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

export function readTools(drafts: readonly ToolDraft[]): ToolDefinition[] {
  return drafts.flatMap((tool) => {
    const parameters = toolFault(tool, drafts) === undefined ? schemaOf(tool) : undefined;
    return parameters ? [{ name: tool.name, description: tool.description.trim(), parameters }] : [];
  });
}

/** Stored tools; what is not one is left out. */
export function readToolDrafts(value: unknown): ToolDraft[] {
  if (!Array.isArray(value)) return [];
  const text = (found: unknown) => (typeof found === 'string' ? found : '');
  return value
    .filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
    .slice(0, MOST_TOOLS)
    .map((each) => ({
      name: text(each['name']),
      description: text(each['description']),
      parameters: text(each['parameters']),
      answer: text(each['answer']),
    }));
}

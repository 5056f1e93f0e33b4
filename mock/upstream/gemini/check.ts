// Checks a request as strictly as Gemini's API: unknown names, unsupported JSON schema keywords, and function calls without
// their thought signature.
import { createHmac } from 'node:crypto';
import { isObject, textOf } from '#mock/upstream/openai/prompt.ts';

type Json = Record<string, unknown>;

const names = (text: string): Set<string> => new Set(text.split(/\s+/));

const requestFields = names(
  `contents systemInstruction system_instruction tools toolConfig tool_config safetySettings safety_settings
  generationConfig generation_config cachedContent cached_content labels model serviceTier store generateContentRequest`,
);
const configFields = names(
  `temperature topP topK candidateCount maxOutputTokens stopSequences presencePenalty frequencyPenalty seed
  responseMimeType responseSchema responseJsonSchema responseModalities responseLogprobs logprobs thinkingConfig
  speechConfig mediaResolution imageConfig audioTimestamp routingConfig enableEnhancedCivicAnswers`,
);
const schemaFields = names(
  `type format title description nullable enum items prefixItems maxItems minItems properties required minProperties
  maxProperties minimum maximum minLength maxLength pattern example anyOf propertyOrdering default`,
);
const partFields = names(
  `text inlineData fileData functionCall functionResponse executableCode codeExecutionResult thought thoughtSignature
  videoMetadata mediaResolution inline_data file_data function_call function_response partMetadata`,
);
const dataFields = names(
  'text inlineData fileData functionCall functionResponse executableCode codeExecutionResult inline_data file_data',
);
const formats: Readonly<Record<string, ReadonlySet<string>>> = {
  STRING: names('enum date-time'),
  NUMBER: names('float double'),
  INTEGER: names('int32 int64'),
};

const unknownName = (name: string, where: string): string =>
  `Invalid JSON payload received. Unknown name "${name}" at '${where}': Cannot find field.`;

export function requestFault(body: Json, model: string): string | undefined {
  for (const name in body) if (!requestFields.has(name)) return unknownName(name, '');
  const { contents, generationConfig: config, tools } = body;
  if (!Array.isArray(contents) || contents.length === 0)
    return '* GenerateContentRequest.contents: contents is not specified';
  if (isObject(config)) {
    for (const name in config) if (!configFields.has(name)) return unknownName(name, 'generation_config');
    const fault = schemaFault(config['responseSchema'], 'generation_config.response_schema');
    if (fault !== undefined) return fault;
  }
  return (
    toolsFault(tools) ?? contentsFault(contents as unknown[]) ?? signatureFault(contents as unknown[], model)
  );
}

function toolsFault(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return "Invalid value at 'tools'";
  for (const [index, tool] of (tools as unknown[]).entries()) {
    const declared = isObject(tool)
      ? (tool['functionDeclarations'] ?? tool['function_declarations'])
      : undefined;
    for (const [at, declaration] of (Array.isArray(declared) ? (declared as unknown[]) : []).entries()) {
      const where = `tools[${index}].function_declarations[${at}]`;
      if (!isObject(declaration)) return `Invalid value at '${where}'`;
      if (!/^[a-zA-Z_][\w.:-]{0,127}$/.test(textOf(declaration['name'])))
        return `GenerateContentRequest.${where}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`;
      const fault = schemaFault(declaration['parameters'], `${where}.parameters`);
      if (fault !== undefined) return fault;
    }
  }
  return undefined;
}

export function schemaFault(schema: unknown, where: string): string | undefined {
  if (schema === undefined) return undefined;
  if (!isObject(schema)) return `Invalid value at '${where}'`;
  for (const name in schema) if (!schemaFields.has(name)) return unknownName(name, where);
  const { type, format, properties, items, anyOf } = schema;
  if (Array.isArray(type)) return `Proto field is not repeating, cannot start list: '${where}.type'`;
  if (typeof format === 'string' && formats[String(type).toUpperCase()]?.has(format) !== true)
    return `${where}.format: only 'enum' and 'date-time' are supported for STRING type`;
  if (Array.isArray(schema['enum']) && schema['enum'].some((value) => typeof value !== 'string'))
    return `Invalid value at '${where}.enum[0]' (TYPE_STRING)`;
  if (isObject(properties)) {
    for (const [name, value] of Object.entries(properties)) {
      const fault = schemaFault(value, `${where}.properties[${name}]`);
      if (fault !== undefined) return fault;
    }
    const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
    const missing = required.find((name) => !Object.hasOwn(properties, String(name)));
    if (missing !== undefined) return `${where}.required[0]: property is not defined`;
  }
  for (const inner of Array.isArray(anyOf) ? (anyOf as unknown[]) : []) {
    const fault = schemaFault(inner, `${where}.any_of`);
    if (fault !== undefined) return fault;
  }
  return schemaFault(items, `${where}.items`);
}

function partsOf(content: unknown): Json[] {
  return isObject(content) && Array.isArray(content['parts'])
    ? (content['parts'] as unknown[]).filter(isObject)
    : [];
}

function contentsFault(contents: readonly unknown[]): string | undefined {
  let open = 0;
  for (const [at, content] of contents.entries()) {
    const role = isObject(content) ? (content['role'] ?? 'user') : undefined;
    if (role !== 'user' && role !== 'model' && role !== 'function')
      return `Please use a valid role: user, model.`;
    const parts = partsOf(content);
    if (parts.length === 0)
      return `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`;
    for (const [index, part] of parts.entries()) {
      for (const name in part)
        if (!partFields.has(name)) return unknownName(name, `contents[${at}].parts[${index}]`);
      if (!Object.keys(part).some((name) => dataFields.has(name)))
        return `* GenerateContentRequest.contents[${at}].parts[${index}].data: required oneof field 'data' must have one initialized field`;
      const answer = part['functionResponse'];
      if (isObject(answer) && !isObject(answer['response']))
        return `Invalid value at 'contents[${at}].parts[${index}].function_response.response' (type.googleapis.com/google.protobuf.Struct)`;
      if (isObject(answer) && JSON.stringify(answer['response']).includes('"$ref"'))
        return `Reference to undefined display_name in contents[${at}].parts[${index}].function_response.response`;
    }
    const responses = parts.filter(({ functionResponse }) => functionResponse !== undefined).length;
    if ((open > 0 || responses > 0) && responses !== open)
      return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';
    open = parts.filter(({ functionCall }) => functionCall !== undefined).length;
  }
  return undefined;
}

/** The API's placeholder for calls of other models. */
const NO_SIGNATURE = 'skip_thought_signature_validator';

export function thoughtSignature(call: unknown): string {
  const { name, args } = call as { name: string; args: unknown };
  return createHmac('sha256', 'the mock thinks so')
    .update(`${name} ${JSON.stringify(args)}`)
    .digest('base64');
}

/** Checks the current turn only: from the user's last message. The first call of a step has the signature. */
function signatureFault(contents: readonly unknown[], model: string): string | undefined {
  const begins = contents.findLastIndex(
    (content) =>
      isObject(content) &&
      content['role'] !== 'model' &&
      partsOf(content).some(({ text }) => text !== undefined),
  );
  for (const [at, content] of contents.entries()) {
    const calls = partsOf(content).filter(({ functionCall }) => isObject(functionCall));
    for (const [position, part] of calls.entries()) {
      const given = part['thoughtSignature'];
      if (given === undefined) {
        if (!model.includes('gemini-3') || position > 0 || at < begins) continue;
        const { name } = part['functionCall'] as Json;
        return `Function call \`${String(name)}\` in the ${at + 1}. content block is missing a \`thought_signature\`. Learn more: https://ai.google.dev/gemini-api/docs/thought-signatures`;
      }
      const plain = Buffer.from(textOf(given), 'base64').toString();
      if (
        given !== NO_SIGNATURE &&
        plain !== NO_SIGNATURE &&
        given !== thoughtSignature(part['functionCall'])
      )
        return 'Corrupted thought signature.';
    }
  }
  return undefined;
}

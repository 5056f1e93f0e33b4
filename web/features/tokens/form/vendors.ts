/** Groups model names by vendor, derived from the name. */

const VENDORS: readonly (readonly [vendor: string, pattern: RegExp])[] = [
  [
    'OpenAI',
    /^(?:gpt-|chatgpt|o[1-9](?:-|$)|dall-e|whisper|tts-|text-embedding|text-moderation|omni-moderation|sora|davinci|babbage|codex)/,
  ],
  ['Anthropic', /^claude/],
  ['Google', /^(?:gemini|gemma|imagen|veo|learnlm)/],
  ['DeepSeek', /^deepseek/],
  ['Qwen', /^(?:qwen|qwq|qvq|wan\d)/],
  ['Zhipu', /^(?:glm|chatglm|cogview|cogvideo|charglm)/],
  ['Moonshot', /^(?:kimi|moonshot)/],
  ['MiniMax', /^(?:minimax|abab)/],
  ['Doubao', /^(?:doubao|seed-|seedream|seedance)/],
  ['Mistral', /^(?:mistral|mixtral|ministral|codestral|pixtral|magistral|devstral|voxtral)/],
  ['xAI', /^grok/],
  ['Cohere', /^(?:command|embed-|rerank-|c4ai|aya)/],
  ['Meta', /^(?:llama|meta-llama)/],
  ['Baidu', /^ernie/],
  ['Tencent', /^hunyuan/],
  ['Spark', /^(?:spark|generalv)/],
  ['Jina', /^jina/],
  ['Midjourney', /^(?:mj_|midjourney)/],
  ['Suno', /^suno/],
];

/** Undefined when the vendor is unknown; a path such as `openai/gpt-5.4` is matched by its last part. */
export function vendorOf(model: string): string | undefined {
  const name = (model.split('/').at(-1) ?? model).toLowerCase();
  return VENDORS.find(([, pattern]) => pattern.test(name))?.[0];
}

export interface VendorGroup {
  /** Undefined: the rest. */
  vendor: string | undefined;
  models: string[];
}

/** Largest group first, the rest last, models by name. */
export function vendorGroups(models: readonly string[]): VendorGroup[] {
  const groups = new Map<string | undefined, string[]>();
  for (const model of new Set(models)) {
    const vendor = vendorOf(model);
    groups.set(vendor, [...(groups.get(vendor) ?? []), model]);
  }
  return [...groups]
    .map(([vendor, members]) => ({
      vendor,
      models: members.sort((left, right) => left.localeCompare(right)),
    }))
    .sort((left, right) => {
      if ((left.vendor === undefined) !== (right.vendor === undefined))
        return left.vendor === undefined ? 1 : -1;
      return right.models.length - left.models.length;
    });
}

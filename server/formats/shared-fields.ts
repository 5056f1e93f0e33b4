// Fields with the same names in OpenAI's and Anthropic's requests.
import type { CanonicalRequest } from './canonical.ts';
import { optionalBoolean, optionalNumber, optionalText, type Json } from './json.ts';

export function sharedFields(fields: Json) {
  return {
    model: optionalText(fields['model'], 'model') ?? '',
    stream: optionalBoolean(fields['stream'], 'stream') ?? false,
    temperature: optionalNumber(fields['temperature'], 'temperature'),
    topP: optionalNumber(fields['top_p'], 'top_p'),
    serviceTier: optionalText(fields['service_tier'], 'service_tier'),
    source: fields,
  } satisfies { [Name in keyof CanonicalRequest]?: CanonicalRequest[Name] | undefined };
}

// Claude Code puts a line for Anthropic's billing before its instructions. It differs between requests, so no other upstream
// could find the prompt in its cache.
import type { CanonicalRequest } from '#server/models/formats/canonical.ts';

const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n*/;

export function withoutBillingLine(request: CanonicalRequest): CanonicalRequest {
  const [first, ...rest] = request.messages;
  const [head, ...others] = first?.content ?? [];
  if (first?.role !== 'system' || head?.type !== 'text' || !BILLING_LINE.test(head.text)) return request;
  const text = head.text.replace(BILLING_LINE, '');
  const content = text === '' ? others : [{ ...head, text }, ...others];
  return { ...request, messages: content.length === 0 ? rest : [{ ...first, content }, ...rest] };
}

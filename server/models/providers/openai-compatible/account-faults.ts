// Error codes of OpenAI-compatible upstreams for a fault of the operator's account, beyond OpenAI's own.
import { member, textIn } from '#server/models/providers/shared/json.ts';
import type { SupplierRefusal } from '#server/models/providers/provider.ts';

const PAYMENT_REQUIRED = 402;

const CODES = new Set([
  // Moonshot
  'exceeded_current_quota_error',
  'invalid_authentication_error',
  // VolcEngine
  'AccountOverdueError',
  'AuthenticationError',
  'AccessDenied',
  // Baidu v2
  'invalid_iam_token',
  'invalid_api_key',
  'account_overdue',
  // 360, xAI and gateways
  'insufficient_balance',
  'insufficient_quota',
  'insufficient_user_quota',
  'permission-denied',
]);

/** SiliconFlow: insufficient balance. */
const NUMBERS = new Set([30_001, 30_011]);

/** Undefined when the request is at fault, or the code is one of OpenAI's. */
export function accountFault(
  body: Readonly<Record<string, unknown>>,
  status: number,
): SupplierRefusal | undefined {
  if (status < 400) return undefined;
  const type = textIn(body, 'error', 'type');
  const code = textIn(body, 'error', 'code') || textIn(body, 'code');
  const number = member(body, 'code') ?? member(body, 'error', 'code');
  const isAccountFault =
    status === PAYMENT_REQUIRED ||
    CODES.has(type) ||
    CODES.has(code) ||
    (typeof number === 'number' && NUMBERS.has(number));
  if (!isAccountFault) return undefined;
  const message = textIn(body, 'error', 'message') || textIn(body, 'message') || textIn(body, 'error');
  return { message, type, code, status, isAccountFault };
}

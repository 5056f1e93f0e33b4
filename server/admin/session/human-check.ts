// The human check: the provider verifies the widget's token and the caller's address. Fails closed: only an explicit
// success passes.
import { AppError } from '#contract/errors.ts';
import type { SessionDependencies } from './dependencies.ts';

export type HumanCheck = (token: string | undefined, address: string) => Promise<void>;

const VERIFY_PATH = '/turnstile/v0/siteverify';
const TIMEOUT_MS = 5000;

export function createHumanCheck({
  settings,
  fetcher,
}: Pick<SessionDependencies, 'settings' | 'fetcher'>): HumanCheck {
  return async (token, address) => {
    const { TurnstileCheckEnabled, TurnstileSecretKey, TurnstileServerAddress } = settings.current;
    if (!TurnstileCheckEnabled) return;
    if (!token || TurnstileSecretKey === '') throw new AppError('human_check_failed');
    const form = new URLSearchParams({ secret: TurnstileSecretKey, response: token, remoteip: address });
    const passed = await fetcher(TurnstileServerAddress + VERIFY_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).then(
      async (response) => response.ok && isSuccess(await response.json()),
      () => false,
    );
    if (!passed) throw new AppError('human_check_failed');
  };
}

function isSuccess(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'success' in answer && answer.success === true;
}

// The first steps of a new installation. Each is checked against what is there, not against what somebody ticked off.
import type { firstRun, FirstStepView } from '#contract/admin/first-run.ts';
import type { Handlers } from '#server/admin/context.ts';
import { checkAddress } from './address.ts';
import { checkBackup } from './backup.ts';
import type { FirstRunDependencies, StepFinding } from './dependencies.ts';
import { checkChannel, checkMail, checkPrice, checkToken } from './tables.ts';

export function createFirstRunHandlers(dependencies: FirstRunDependencies): Handlers<typeof firstRun> {
  const { settings } = dependencies;
  return {
    async read({ query: { origin } }, { language }) {
      if (!settings.current.FirstStepsEnabled) return { is_shown: false, steps: [] };
      const findings = await Promise.all([
        nameStep('channel', checkChannel(dependencies, language)),
        nameStep('price', checkPrice(dependencies)),
        nameStep('token', checkToken(dependencies)),
        nameStep('address', checkAddress(dependencies, origin)),
        nameStep('mail', checkMail(dependencies)),
        nameStep('payment', checkPayment(dependencies)),
        nameStep('backup', checkBackup(dependencies)),
      ]);
      return { is_shown: findings.some(({ state }) => state !== 'done'), steps: findings };
    },
  };
}

async function nameStep(
  name: FirstStepView['name'],
  finding: StepFinding | Promise<StepFinding>,
): Promise<FirstStepView> {
  return { detail: '', at: 0, ...(await finding), name };
}

/** Where users can buy: online here, or codes at another shop. */
function checkPayment({ settings, takesPayments }: FirstRunDependencies): StepFinding {
  return takesPayments() || settings.current.TopUpLink !== ''
    ? { state: 'done' }
    : { state: 'open', reason: 'none' };
}

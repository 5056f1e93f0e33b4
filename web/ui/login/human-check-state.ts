/** Whether the human check of the page could be loaded, for forms that wait for its token. A page has at most one. */
import { getI18n } from 'react-i18next';
import { toast } from '#web/ui/feedback/toast.tsx';

let hasFailed = false;

export function noteHumanCheck(state: 'loading' | 'failed'): void {
  hasFailed = state === 'failed';
}

/** A form was sent without a token: `wait` while the check is at work, else that it must be loaded again. */
export function askForHumanCheck(wait: string): void {
  if (hasFailed) toast.error(getI18n().t('humanCheck.failed', { ns: 'ui' }));
  else toast.info(wait);
}

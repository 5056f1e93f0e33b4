/** The names of the events; one of a newer server is shown as it is. */
import { useTranslation } from 'react-i18next';
import { OPERATOR_NOTICE_EVENTS, USER_NOTICE_EVENTS } from '#contract/admin/notice-events.ts';

const KNOWN = [...USER_NOTICE_EVENTS, ...OPERATOR_NOTICE_EVENTS, 'test'] as const;

export function useEventName(): (event: string) => string {
  const { t } = useTranslation('notices');
  return (event) => {
    const known = KNOWN.find((name) => name === event);
    return known ? t(`event.${known}`) : event;
  };
}

// Notices to users and operators: what other folders use.
import { openDeliveries, type DeliveryParts } from './deliveries.ts';
import { dispatchDue, type DispatchParts } from './dispatch.ts';

export { createBudgetNotices } from './budgets.ts';
export { egressClassFor, sendDelivery, type DeliveryParts } from './deliveries.ts';
export { deliveryWords } from './delivery-words.ts';
export { mailNotice, type DispatchParts, type NoticeMailer } from './dispatch.ts';
export { createHoldExcessNotices } from './hold-excess.ts';
export { addressesOf, mailReceivers } from './mail-receivers.ts';
export { endOccurrence, openOccurrences, type OpenOccurrence } from './occurrences.ts';
export { raiseNotice, type Notice } from './raise.ts';
export { insertTestDelivery, insertTestNotice, noteTest } from './test-notice.ts';
export { HISTORY_SECONDS, removeOldNotices } from './retention.ts';
export {
  changeDestination,
  DEFAULT_MAIL,
  insertDestination,
  openConfig,
  removeDestination,
  sealConfig,
  storedDestination,
  readStoredDestinations,
  type StoredDestination,
} from './stored-destinations.ts';
export { noticeText, TEST_EVENT } from './texts.ts';
export { noticeExpiringTokens } from './token-expiry.ts';
export { DESTINATIONS, destinationOf } from './destinations/index.ts';
export { DestinationError, type DestinationConfig } from './destinations/destination.ts';

export type NoticeParts = DeliveryParts & DispatchParts;

export interface Notices {
  /** Divides what was raised into deliveries and sends those that are due. A job runs it. */
  sendDue(signal: AbortSignal): Promise<void>;
}

export function openNotices(parts: NoticeParts): Notices {
  const deliveries = openDeliveries(parts);
  return {
    async sendDue(signal) {
      try {
        await dispatchDue(parts, signal);
      } finally {
        await deliveries.deliverDue(signal);
      }
    },
  };
}

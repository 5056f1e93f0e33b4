// The seller on a receipt. Frozen on the order with its payment, so that a receipt does not change with the settings.
import type { Seller } from '#contract/money/receipts.ts';
import type { Settings } from '#contract/settings.ts';
import type { Order } from './order-rows.ts';

type SellerSettings = Pick<Settings, 'SellerName' | 'SellerAddress' | 'SellerTaxNumber' | 'SystemName'>;

const LONGEST = 500;

export function sellerOf({ SellerName, SellerAddress, SellerTaxNumber, SystemName }: SellerSettings): Seller {
  return {
    name: (SellerName || SystemName).slice(0, LONGEST),
    address: SellerAddress.slice(0, LONGEST),
    tax_number: SellerTaxNumber.slice(0, LONGEST),
  };
}

/** Orders paid before the seller was kept have today's. */
export function sellerOfOrder({ seller }: Order, settings: SellerSettings): Seller {
  return seller === '' ? sellerOf(settings) : (JSON.parse(seller) as Seller);
}

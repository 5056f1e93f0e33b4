// Scores of suppliers and their bills, for administrators.
import type { suppliers } from '#contract/suppliers/suppliers.ts';
import type { Handlers } from '#server/admin/context.ts';
import { importBill, listBills, readBillOf, removeBill } from './bills.ts';
import type { SupplierDependencies } from './dependencies.ts';
import { listSuppliers, readSupplier } from './read.ts';
import { trustChannel } from './trust.ts';

export function createSupplierHandlers(dependencies: SupplierDependencies): Handlers<typeof suppliers> {
  return {
    list: listSuppliers(dependencies),
    read: readSupplier(dependencies),
    trust: trustChannel(dependencies),
    bills: listBills(dependencies),
    bill: readBillOf(dependencies),
    importBill: importBill(dependencies),
    removeBill: removeBill(dependencies),
  };
}

// One operation over the rows of a database.
import type { Operation, ResultOf } from './operations.ts';
import { recover } from './recover.ts';
import { extend, reserve } from './reserve.ts';
import type { Rows } from './rows.ts';
import { noteProgress, release, settle } from './settle.ts';
import { writeHold } from './slice.ts';
import { rollPeriod } from './subscriptions.ts';

export function apply(rows: Rows, operation: Operation): ResultOf<Operation> {
  switch (operation.kind) {
    case 'reserve':
      return reserve(rows, operation);
    case 'writeHold':
      return writeHold(rows, operation);
    case 'extend':
      return extend(rows, operation);
    case 'noteProgress':
      return noteProgress(rows, operation);
    case 'settle':
      return settle(rows, operation);
    case 'release':
      return release(rows, operation);
    case 'recover':
      return recover(rows, operation);
    case 'rollPeriod': {
      const subscription = rows.subscription(operation.subscriptionId);
      return subscription !== undefined && rollPeriod(rows, subscription);
    }
    default:
      throw new Error(`unknown operation ${JSON.stringify(operation satisfies never)}`);
  }
}

// The ways a receiver is notified, and what was sent: the same handlers for each user and for the operators.
import type { Handlers } from '#server/admin/context.ts';
import type { notices, operatorNotices } from '#contract/admin/notices.ts';
import type { NoticeDependencies } from './dependencies.ts';
import { allNotices, ownNotices } from './history.ts';
import { changeWay, createWay, removeWay } from './change.ts';
import { listWays } from './list.ts';
import { testWay } from './test.ts';

export function createNoticeHandlers(dependencies: NoticeDependencies): Handlers<typeof notices> {
  return {
    ways: listWays(dependencies, 'caller'),
    createWay: createWay(dependencies, 'caller'),
    changeWay: changeWay(dependencies, 'caller'),
    removeWay: removeWay(dependencies, 'caller'),
    testWay: testWay(dependencies, 'caller'),
    history: ownNotices(dependencies),
  };
}

export function createOperatorNoticeHandlers(
  dependencies: NoticeDependencies,
): Handlers<typeof operatorNotices> {
  return {
    ways: listWays(dependencies, 'operators'),
    createWay: createWay(dependencies, 'operators'),
    changeWay: changeWay(dependencies, 'operators'),
    removeWay: removeWay(dependencies, 'operators'),
    testWay: testWay(dependencies, 'operators'),
    history: allNotices(dependencies),
  };
}

// The destinations of notices of a receiver, and what was sent: the same handlers for each user and for the operators.
import type { Handlers } from '#server/admin/context.ts';
import type { notices, operatorNotices } from '#contract/admin/notices.ts';
import type { NoticeDependencies } from './dependencies.ts';
import { allNotices, ownNotices } from './history.ts';
import { changeDestination, createDestination, removeDestination } from './change.ts';
import { listDestinations } from './list.ts';
import { testDestination } from './test.ts';

export function createNoticeHandlers(dependencies: NoticeDependencies): Handlers<typeof notices> {
  return {
    ways: listDestinations(dependencies, 'caller'),
    createWay: createDestination(dependencies, 'caller'),
    changeWay: changeDestination(dependencies, 'caller'),
    removeWay: removeDestination(dependencies, 'caller'),
    testWay: testDestination(dependencies, 'caller'),
    history: ownNotices(dependencies),
  };
}

export function createOperatorNoticeHandlers(
  dependencies: NoticeDependencies,
): Handlers<typeof operatorNotices> {
  return {
    ways: listDestinations(dependencies, 'operators'),
    createWay: createDestination(dependencies, 'operators'),
    changeWay: changeDestination(dependencies, 'operators'),
    removeWay: removeDestination(dependencies, 'operators'),
    testWay: testDestination(dependencies, 'operators'),
    history: allNotices(dependencies),
  };
}

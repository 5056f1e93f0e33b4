// Money between balances (docs/adr/0112-money-moves-between-balances-by-two-entries.md). Each verb locks the organization first.
import type { moves } from '#contract/admin/organization-moves.ts';
import type { Handlers } from '#server/admin/context.ts';
import { askOut } from './ask-out.ts';
import type { MoveParts } from './book.ts';
import { acceptMove, declineMove } from './decide.ts';
import { moveInto } from './into.ts';
import { listMoves } from './view.ts';

export const createMoveHandlers = (parts: MoveParts): Handlers<typeof moves> => ({
  list: listMoves(parts),
  into: moveInto(parts),
  out: askOut(parts),
  accept: acceptMove(parts),
  decline: declineMove(parts),
});

// Parts of a user's figures that the list's card and the page of a user share.
import { z } from 'zod';

/** A change of the balance other than charges of calls. */
export const userEntry = z.object({
  id: z.number(),
  created_at: z.number(),
  kind: z.string(),
  /** Negative: deducted. */
  amount: z.number(),
  content: z.string(),
});

/** Addresses and paying accounts that an inviter and an invited user share: a sign of one person behind both. */
export const inviteFlags = z.object({
  /** Users invited by this one, and how many of them share an address with this user. */
  invited: z.number(),
  same_address: z.number(),
  /** This user shares an address with the inviter. */
  inviter_same_address: z.boolean(),
  /** Of them: users who paid from an account that this user paid from too. */
  same_payer: z.number(),
  inviter_same_payer: z.boolean(),
});

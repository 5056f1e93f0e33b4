/**
 * The passkey button, and passkeys in the name field for users who signed in by one before. For others the field
 * sends no request: sign-in calls are rate-limited per address.
 */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { SessionUser } from '#contract/admin/session.ts';
import { lastLogin } from './last-used.ts';
import { offersInField, signInByPasskey } from './passkey.ts';

export function usePasskey(onUser: (user: SessionUser) => void) {
  const waiting = useRef<AbortController>(undefined);
  const report = useRef(onUser);
  useEffect(() => {
    report.current = onUser;
  });

  useEffect(() => {
    if (lastLogin() !== 'passkey') return undefined;
    const controller = new AbortController();
    waiting.current = controller;
    const wait = async () => {
      if (!(await offersInField()) || controller.signal.aborted) return;
      const user = await signInByPasskey({ inField: true, signal: controller.signal });
      if (user && !controller.signal.aborted) report.current(user);
    };
    // Autofill is optional: its errors are not shown, the button remains.
    wait().catch(() => undefined);
    return () => controller.abort();
  }, []);

  return useMutation({
    mutationFn: () => {
      // A browser allows one credential request at a time.
      waiting.current?.abort();
      return signInByPasskey({});
    },
    onSuccess: (user) => {
      if (user) onUser(user);
    },
  });
}

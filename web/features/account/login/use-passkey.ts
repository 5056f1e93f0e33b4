/**
 * The passkey button, and passkeys in the name field for those who signed in by one before. For everybody else the field
 * asks nothing of the server: sign-in calls are counted per address.
 */
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { SessionUser } from '#contract/session.ts';
import { lastWay } from './last-used.ts';
import { offersInField, signInByPasskey } from './passkey.ts';

export function usePasskey(onUser: (user: SessionUser) => void) {
  const waiting = useRef<AbortController>(undefined);
  const report = useRef(onUser);
  useEffect(() => {
    report.current = onUser;
  });

  useEffect(() => {
    if (lastWay() !== 'passkey') return undefined;
    const controller = new AbortController();
    waiting.current = controller;
    const wait = async () => {
      if (!(await offersInField()) || controller.signal.aborted) return;
      const user = await signInByPasskey({ inField: true, signal: controller.signal });
      if (user && !controller.signal.aborted) report.current(user);
    };
    // The field is an offer: what goes wrong with it is no news, the button is still there.
    wait().catch(() => undefined);
    return () => controller.abort();
  }, []);

  return useMutation({
    mutationFn: () => {
      // Only one question at a time may be open in a browser.
      waiting.current?.abort();
      return signInByPasskey({});
    },
    onSuccess: (user) => {
      if (user) onUser(user);
    },
  });
}

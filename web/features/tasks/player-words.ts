import { useTranslation } from 'react-i18next';
import type { PlayerWords } from '#web/ui/media/audio-player.tsx';

export function usePlayerWords(title: string): PlayerWords {
  const { t } = useTranslation('tasks');
  return {
    play: t('player.play', { title }),
    pause: t('player.pause', { title }),
    position: t('player.position', { title }),
    broken: t('player.broken'),
  };
}

/** A call of a virtual model: `fast → gpt-4o-mini (rate limit) → claude-haiku`; for operators each name leads to its page. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isStepReason, routeModels, type VirtualRoute } from './route.ts';

export function RouteLine({ route, isLinked }: { route: VirtualRoute; isLinked: boolean }) {
  const { t } = useTranslation('logs');
  return (
    <span className="anywhere">
      {isLinked ? (
        <Link to="/virtual-model/$" params={{ _splat: route.asked }} className="quiet-link">
          {route.asked}
        </Link>
      ) : (
        route.asked
      )}
      {routeModels(route).map(({ model, why }, index) => (
        <span key={`${index} ${model}`}>
          {' → '}
          {isLinked ? (
            <Link to="/model/$" params={{ _splat: model }} className="quiet-link">
              {model}
            </Link>
          ) : (
            model
          )}
          {why === '' ? null : (
            <span className="muted"> ({isStepReason(why) ? t(`route.${why}`) : why})</span>
          )}
        </span>
      ))}
    </span>
  );
}

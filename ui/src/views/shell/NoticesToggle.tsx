/** Whether one is told of runs while one looks elsewhere. */

import { ActionIcon, Tooltip } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconBell, IconBellRinging } from "@tabler/icons-react";

import { usePrefs } from "@/state/prefs";

export function NoticesToggle() {
  const wanted = usePrefs((prefs) => prefs.notices);
  const notify = usePrefs((prefs) => prefs.notify);
  if (!("Notification" in window)) return null;
  const toggle = async () => {
    if (wanted) {
      notify(false);
      return;
    }
    const allowed = (await Notification.requestPermission()) === "granted";
    notify(allowed);
    if (!allowed)
      notifications.show({
        title: "The browser does not allow it",
        message: "Notifications of this page can be allowed beside its address.",
      });
  };
  return (
    <Tooltip label="A notification when a run is held, finished or failed while this tab is in the background">
      <ActionIcon aria-label="Notify me" aria-pressed={wanted} onClick={() => void toggle()}>
        {wanted ? <IconBellRinging size={17} stroke={1.8} /> : <IconBell size={17} stroke={1.8} />}
      </ActionIcon>
    </Tooltip>
  );
}

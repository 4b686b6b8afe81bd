/** Tells of runs by the system's notifications while the page is in the background, if the person wants that. */

import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";

import { noticesOf } from "@/model/notices";
import { usePrefs } from "@/state/prefs";
import { useRuns } from "@/state/runs";

export function useNotices(): void {
  const wanted = usePrefs((prefs) => prefs.notices);
  const { byId, known } = useRuns();
  const navigate = useNavigate();
  const before = useRef<typeof byId | null>(null);
  useEffect(() => {
    const last = before.current;
    before.current = known ? byId : null;
    if (!wanted || last === null || !document.hidden || !("Notification" in window)) return;
    if (Notification.permission !== "granted") return;
    for (const { run, title, body } of noticesOf(last, byId.values())) {
      const notice = new Notification(title, { body, tag: run, icon: "/icon.svg" });
      notice.addEventListener("click", () => {
        window.focus();
        void navigate({ to: "/runs/$run", params: { run } });
        notice.close();
      });
    }
  }, [byId, known, wanted, navigate]);
}

import {
  Activity,
  AlarmClock,
  BookOpen,
  Boxes,
  Brain,
  Database,
  House,
  LayoutDashboard,
  type LucideIcon,
  MessageSquareText,
  Settings,
} from "lucide-react";
import { t } from "../words/words.ts";

export interface PageEntry {
  id: string;
  name: string;
  icon: LucideIcon;
  /** After g, this letter goes there. */
  key: string;
}

/** In the order of the sidebar; on a phone the first four are tabs. */
export function pages(): PageEntry[] {
  return [
    { id: "home", name: t`Home`, icon: House, key: "h" },
    { id: "ask", name: t`Ask`, icon: MessageSquareText, key: "a" },
    { id: "dashboards", name: t`Dashboards`, icon: LayoutDashboard, key: "b" },
    { id: "data", name: t`Data`, icon: Database, key: "d" },
    { id: "models", name: t`Models`, icon: Boxes, key: "m" },
    { id: "library", name: t`Library`, icon: BookOpen, key: "l" },
    { id: "memory", name: t`Memory`, icon: Brain, key: "y" },
    { id: "automation", name: t`Automation`, icon: AlarmClock, key: "u" },
    { id: "activity", name: t`Activity`, icon: Activity, key: "v" },
    { id: "settings", name: t`Settings`, icon: Settings, key: "s" },
  ];
}

DROP TABLE "job_progress";

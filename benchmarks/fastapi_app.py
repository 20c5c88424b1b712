"""POST /messages in FastAPI on Mangum, for comparison with the product's own handler.

It has the same models, admission and rules, and so the same three calls. Only the layer between API Gateway's event and
these is FastAPI's, written as its documentation does it.
"""

from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse
from mangum import Mangum

from helpdesk.api.admission import service as admission
from helpdesk.api.admission.caller import Access
from helpdesk.api.admission.limits import RequestClass
from helpdesk.api.admission.service import Admitted
from helpdesk.conversations.messages import service as messages
from helpdesk.conversations.messages.schemas import MessageAccepted, MessageInput
from helpdesk.platform.errors import AppError


def in_threads() -> Any:
    """Return the handler of an app with plain functions, which FastAPI runs in threads: the usual way with boto3."""
    app = _app()

    def admitted(request: Request) -> Admitted:
        return admission.admit(request.headers, Access.SECRET_KEY, RequestClass.WRITE)

    @app.post("/v1/messages")
    def post_message(
        message: MessageInput,
        request: Request,
        response: Response,
        admitted: Annotated[Admitted, Depends(admitted)],
    ) -> MessageAccepted:
        response.headers.update(_headers(request, admitted))
        return messages.post(admitted.caller.organization, message)

    return Mangum(app, lifespan="off")


def in_the_loop() -> Any:
    """Return the handler of an app with coroutines that block: cheaper, and harmless where requests come one by one."""
    app = _app()

    async def admitted(request: Request) -> Admitted:
        return admission.admit(request.headers, Access.SECRET_KEY, RequestClass.WRITE)

    @app.post("/v1/messages")
    async def post_message(
        message: MessageInput,
        request: Request,
        response: Response,
        admitted: Annotated[Admitted, Depends(admitted)],
    ) -> MessageAccepted:
        response.headers.update(_headers(request, admitted))
        return messages.post(admitted.caller.organization, message)

    return Mangum(app, lifespan="off")


def _app() -> FastAPI:
    app = FastAPI()

    @app.exception_handler(AppError)
    async def refuse(_: Request, error: AppError) -> JSONResponse:
        return JSONResponse(error.to_object(), error.status, headers=error.headers)

    return app


def _headers(request: Request, admitted: Admitted) -> dict[str, str]:
    request_id: str = request.scope["aws.event"]["requestContext"]["requestId"]
    return {**admitted.headers, "x-request-id": request_id}
